"""Where log lines come from."""

from pathlib import Path

from scoreboard.attempts import parse_line


def read_attempts(lines):
    """Parse log lines; an error names the number of the line."""
    attempts = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            attempts.append(parse_line(line))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return attempts


def lines_of(paths):
    """All lines of several log files, one file after the other."""
    for path in paths:
        yield from Path(path).read_text(encoding="utf-8").splitlines()
