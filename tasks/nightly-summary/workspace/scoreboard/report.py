"""The summary as text."""

COLUMNS = ("questions", "passed", "unresolved", "attempts")


def render(summary):
    """A table: suites by name, then the row for everything."""
    rows = [*sorted(summary["suites"].items()), ("overall", summary["overall"])]
    width = max(len(name) for name, _ in rows)
    lines = [f"counts: {summary['counts']} attempt"]
    lines.append(" ".join([" " * width, *COLUMNS, "score"]))
    for name, row in rows:
        cells = [f"{row[column]:>{len(column)}}" for column in COLUMNS]
        lines.append(" ".join([f"{name:<{width}}", *cells, f"{row['score']:.3f}"]))
    return "\n".join(lines)
