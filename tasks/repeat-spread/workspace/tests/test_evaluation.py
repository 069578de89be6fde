import unittest

from gauges.evaluation import evaluate
from gauges.readings import simulate
from gauges.resampling import holdout

ROWS = simulate(stations=10, per_station=6, seed=8)


class TestEvaluate(unittest.TestCase):
    def test_holds_out_the_rows_of_holdout(self):
        result = evaluate(ROWS, fraction=0.2, seed=5)
        self.assertEqual(holdout(ROWS, fraction=0.2, seed=5)["test"], result["held_out"])

    def test_accuracy_is_the_share_of_correct_rows(self):
        result = evaluate(ROWS, seed=6)
        self.assertEqual(len(result["held_out"]), len(result["correct"]))
        self.assertAlmostEqual(sum(result["correct"]) / len(result["correct"]), result["accuracy"])
        self.assertGreater(result["accuracy"], 0.5)

    def test_error_is_plausible(self):
        result = evaluate(ROWS, seed=6)
        self.assertTrue(0 < result["error"] < 0.5)

    def test_missing_measurement(self):
        rows = [dict(row) for row in ROWS]
        rows[17]["rain"] = None
        with self.assertRaises(ValueError):
            evaluate(rows, seed=5)
