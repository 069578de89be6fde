"""What the planning service remembers about each courier while it runs."""

from collections import defaultdict, deque

from forecast.settings import DEFAULT_RATE, WINDOW


class LiveRates:
    """The latest reported outcomes of each courier."""

    def __init__(self, window=WINDOW, default=DEFAULT_RATE):
        self._default = default
        self._latest = defaultdict(lambda: deque(maxlen=window))

    def report(self, courier, late):
        """Take in an outcome; the caller reports them by time of the delivery, then id."""
        self._latest[courier].append(late)

    def rate(self, courier):
        """Return the recent rate as of now."""
        latest = self._latest.get(courier)
        return sum(latest) / len(latest) if latest else self._default
