"""The command line."""

import argparse
import json
from pathlib import Path

from scoreboard.night import night_report, summarise_night
from scoreboard.reader import lines_of


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="scoreboard", description="Summarise the logs of one night.")
    parser.add_argument("logs", nargs="+", help="log files, one JSON object a line")
    parser.add_argument("--settings", help="settings file (JSON)")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args(arguments)
    settings = json.loads(Path(options.settings).read_text(encoding="utf-8")) if options.settings else {}
    lines = list(lines_of(options.logs))
    if options.json:
        print(json.dumps(summarise_night(lines, settings), indent=2))
    else:
        print(night_report(lines, settings))


if __name__ == "__main__":
    main()
