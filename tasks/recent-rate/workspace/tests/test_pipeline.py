"""Tests of everything around the recent rate."""

import os
import random
import tempfile
import unittest

from forecast.evaluate import evaluate
from forecast.events import minutes, read_rows, sample_rows
from forecast.live import LiveRates
from forecast.table import build_table


class TestExport(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "export.csv")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("delivery,courier,time,distance,late\n" + text)
            return read_rows(path)

    def test_offsets(self):
        """The same moment written with two offsets is one time."""
        self.assertEqual(minutes("2024-03-01T08:15+00:00"), minutes("2024-03-01T09:15+01:00"))

    def test_open_outcome(self):
        """An empty outcome is None, an id keeps its zeros."""
        first, second = self.read("007,01,2024-03-01T08:15+00:00,0.5,1\n008,01,2024-03-01T08:20+00:00,0.1,\n")
        self.assertEqual(("007", 1), (first["delivery"], first["late"]))
        self.assertIsNone(second["late"])

    def test_bad_line(self):
        """A time without offset is refused, with the line's number."""
        with self.assertRaisesRegex(ValueError, ":2: "):
            self.read("007,01,2024-03-01T08:15,0.5,1\n")


class TestLive(unittest.TestCase):
    def test_latest_outcomes(self):
        """The service forgets what is older than the window."""
        live = LiveRates(window=2, default=0.4)
        self.assertEqual(0.4, live.rate("a"))
        for late in (1, 1, 0):
            live.report("a", late)
        self.assertEqual(0.5, live.rate("a"))
        self.assertEqual(0.4, live.rate("b"))


class TestTable(unittest.TestCase):
    def test_ordered_by_time(self):
        """The table is ordered by time and holds the outcome."""
        table = build_table(sample_rows(seed=1, couriers=3, per_courier=20))
        self.assertEqual(sorted(entry["time"] for entry in table), [entry["time"] for entry in table])
        self.assertEqual({0, 1}, {entry["late"] for entry in table})

    def test_evaluate_learns(self):
        """Couriers that differ a lot can be told apart."""
        rng = random.Random(3)
        rows = sample_rows(seed=2, couriers=6, per_courier=80)
        for row in sorted(rows, key=lambda row: row["delivery"]):
            row["late"] = int(rng.random() < (0.05 if int(row["courier"]) % 2 else 0.95))
        result = evaluate(rows, window=4, delay=60, default=0.5)
        self.assertGreater(result["accuracy"], 0.8)


if __name__ == "__main__":
    unittest.main()
