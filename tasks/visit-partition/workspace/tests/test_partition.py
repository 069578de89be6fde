import unittest

from forecast.partition import split_visits


def some_visits(count):
    return [{"visit_id": str(n), "patient_id": f"{n + 1:03d}"} for n in range(count)]


class TestSplit(unittest.TestCase):
    def test_sizes(self):
        """The test part has the size asked for, and the rest is for training."""
        parts = split_visits(some_visits(20), 5, seed=1)
        self.assertEqual(5, len(parts["test"]))
        self.assertEqual(15, len(parts["train"]))

    def test_every_visit_is_used(self):
        """No visit is left out and none is in both parts."""
        parts = split_visits(some_visits(20), 8, seed=2)
        self.assertEqual(list(range(20)), sorted(parts["train"] + parts["test"]))

    def test_same_seed(self):
        """The same seed gives the same parts."""
        visits = some_visits(30)
        self.assertEqual(split_visits(visits, 10, seed=3), split_visits(visits, 10, seed=3))

    def test_positions_ascend(self):
        """Positions come in ascending order."""
        parts = split_visits(some_visits(12), 6, seed=4)
        self.assertEqual(sorted(parts["test"]), parts["test"])
        self.assertEqual(sorted(parts["train"]), parts["train"])

    def test_all_or_nothing(self):
        """Asking for no test visit, or for all of them, is fine."""
        self.assertEqual([], split_visits(some_visits(4), 0, seed=5)["test"])
        self.assertEqual([], split_visits(some_visits(4), 4, seed=5)["train"])

    def test_too_many(self):
        """More test visits than there are cannot be had."""
        with self.assertRaises(ValueError):
            split_visits(some_visits(4), 5, seed=6)
