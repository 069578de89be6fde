"""Tests of the recent rate."""

import unittest

from forecast.features import recent_rates


def log(courier, outcomes, start=1000, step=60):
    """Rows of one courier, one per outcome, `step` minutes apart."""
    return [
        {"delivery": f"{courier}-{n:03d}", "courier": courier, "time": start + n * step, "distance": 0.0, "late": late}
        for n, late in enumerate(outcomes)
    ]


class TestRecentRates(unittest.TestCase):
    def test_one_rate_per_row(self):
        """Every row gets a share between 0 and 1."""
        rates = recent_rates(log("a", [1, 0, 1, 1, 0]) + log("b", [0, 1]), window=3, delay=30, default=0.5)
        self.assertEqual(7, len(rates))
        self.assertTrue(all(0 <= rate <= 1 for rate in rates))

    def test_always_and_never(self):
        """A courier whose deliveries are always late reaches 1, never late 0."""
        rates = recent_rates(log("a", [1] * 9) + log("b", [0] * 9), window=4, delay=30, default=0.5)
        self.assertEqual(1, rates[8])
        self.assertEqual(0, rates[17])

    def test_next_delivery(self):
        """A delivery that is still open gets the share among those before it."""
        rates = recent_rates(log("a", [0, 0, 1, 0, 1, None]), window=4, delay=30, default=0.5)
        self.assertAlmostEqual(0.5, rates[5])

    def test_nothing_reported(self):
        """Without any outcome every row has the default."""
        self.assertEqual([0.25] * 3, recent_rates(log("a", [None] * 3), window=2, delay=0, default=0.25))

    def test_no_rows(self):
        """An empty log has no rates."""
        self.assertEqual([], recent_rates([], window=2, delay=0, default=0.25))

    def test_bad_window(self):
        """A window that holds nothing is refused."""
        with self.assertRaises(ValueError):
            recent_rates(log("a", [1]), window=0, delay=0, default=0.5)


if __name__ == "__main__":
    unittest.main()
