"""Which outcomes were in when a row was scored."""


class History:
    """The outcomes of a log, asked for row by row; quadratic, and short enough to trust."""

    def __init__(self, rows, delay):
        self.delay = delay
        newest_first = sorted(rows, key=lambda row: (row["time"], row["delivery"]), reverse=True)
        self.finished = [row for row in newest_first if row["late"] is not None]

    def before(self, row):
        """Outcomes of the same courier that could be used at the row's time, latest first."""
        return [
            other["late"]
            for other in self.finished
            if other["courier"] == row["courier"]
            and other["time"] < row["time"]
            and other["time"] <= row["time"] - self.delay
        ]
