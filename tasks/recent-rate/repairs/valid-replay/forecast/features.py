"""The recent rate: what the planning service had in hand, found by replaying the log."""

from itertools import groupby

from forecast.live import LiveRates
from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    live = LiveRates(window, default)
    ordered = sorted(range(len(rows)), key=lambda n: (rows[n]["time"], rows[n]["delivery"]))
    waiting = [rows[n] for n in reversed(ordered) if rows[n]["late"] is not None]
    answer = {}
    for now, batch in groupby(ordered, key=lambda n: rows[n]["time"]):
        while waiting and waiting[-1]["time"] < now and waiting[-1]["time"] + delay <= now:
            done = waiting.pop()
            live.report(done["courier"], done["late"])
        for n in batch:
            answer[n] = live.rate(rows[n]["courier"])
    return [answer[n] for n in range(len(rows))]
