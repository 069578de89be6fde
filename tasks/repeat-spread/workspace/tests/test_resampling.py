import unittest

from gauges.readings import simulate
from gauges.resampling import Resampler, holdout, station_folds

ROWS = simulate(stations=10, per_station=4, seed=3)


class TestHoldout(unittest.TestCase):
    def test_every_row_is_used_once(self):
        parts = holdout(ROWS, fraction=0.3, seed=5)
        self.assertEqual(12, len(parts["test"]))
        self.assertEqual(list(range(40)), sorted(parts["train"] + parts["test"]))

    def test_same_seed_same_rows(self):
        self.assertEqual(holdout(ROWS, seed=21), holdout(ROWS, seed=21))

    def test_rows_of_the_data_sheet(self):
        self.assertEqual([5, 8, 10, 11, 12, 15, 19, 21, 30, 35], holdout(ROWS, seed=7)["test"])

    def test_fraction_is_checked(self):
        with self.assertRaises(ValueError):
            holdout(ROWS, fraction=1.0, seed=1)


class TestStationFolds(unittest.TestCase):
    def test_a_station_is_never_divided(self):
        seen = {}
        for row, fold in zip(ROWS, station_folds(ROWS, folds=3, seed=4)):
            seen.setdefault(row["station"], set()).add(fold)
        self.assertEqual({1}, {len(folds) for folds in seen.values()})

    def test_folds_are_even(self):
        folds = station_folds(ROWS, folds=5, seed=4)
        self.assertEqual([8] * 5, [folds.count(fold) for fold in range(5)])

    def test_same_seed_same_folds(self):
        self.assertEqual(station_folds(ROWS, seed=13), station_folds(ROWS, seed=13))

    def test_more_folds_than_stations(self):
        with self.assertRaises(ValueError):
            station_folds(ROWS, folds=11, seed=4)


class TestResampler(unittest.TestCase):
    def test_numbers_are_in_range(self):
        drawn = Resampler(20, seed=2).draw()
        self.assertEqual(20, len(drawn))
        self.assertTrue(set(drawn) <= set(range(20)))

    def test_same_seed_same_draw(self):
        self.assertEqual(Resampler(30, seed=9).draw(), Resampler(30, seed=9).draw())
