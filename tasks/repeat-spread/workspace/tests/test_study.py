import os
import tempfile
import unittest

import numpy as np

from gauges.readings import load, save, simulate
from gauges.report import describe, spread
from gauges.resampling import holdout
from gauges.study import repeat_study

ROWS = simulate(stations=12, per_station=8, seed=1)


class TestStudy(unittest.TestCase):
    def test_repeats_spread(self):
        np.random.seed(11)
        study = repeat_study(ROWS, repeats=5, share=0.3)
        self.assertGreater(spread(study), 0.0)

    def test_fits_training_rows_only(self):
        held_out = set(holdout(ROWS, fraction=0.25, seed=7)["test"])
        for repeat in repeat_study(ROWS, repeats=3):
            self.assertEqual(43, len(repeat["fitted_on"]))
            self.assertFalse(held_out & set(repeat["fitted_on"]))


class TestReport(unittest.TestCase):
    def test_line(self):
        study = [{"fitted_on": [0], "accuracy": 0.7}, {"fitted_on": [1], "accuracy": 0.8}]
        self.assertEqual("accuracy 0.750, spread 0.071, 2 repeats", describe(study))


class TestFiles(unittest.TestCase):
    def test_round_trip(self):
        rows = simulate(stations=2, per_station=3, seed=4)
        rows[1]["rain"] = None
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "readings.csv")
            save(rows, path)
            self.assertEqual(rows, load(path))
