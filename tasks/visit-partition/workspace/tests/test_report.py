import os
import tempfile
import unittest

from forecast.neighbours import Neighbours
from forecast.registry import read_visits
from forecast.report import accuracy, offline_report
from forecast.simulate import simulate


class TestReport(unittest.TestCase):
    def test_fields(self):
        """The report has both sizes and an accuracy between 0 and 1."""
        report = offline_report(simulate(30, seed=3), test_rows=30, seed=1)
        self.assertEqual(["train_visits", "test_visits", "accuracy"], list(report))
        self.assertGreater(report["train_visits"], 0)
        self.assertTrue(0 <= report["accuracy"] <= 1)

    def test_nothing_to_score(self):
        """An accuracy over no visits does not exist."""
        with self.assertRaises(ValueError):
            accuracy(simulate(3, seed=1), [])


class TestNeighbours(unittest.TestCase):
    def test_majority_of_the_nearest(self):
        """The answer is that of the rows close by."""
        model = Neighbours(count=3).fit([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], [0, 0, 0, 1, 1, 1])
        self.assertEqual([0, 1], model.predict([[0.3], [8.0]]))


class TestRegistry(unittest.TestCase):
    def test_ids_stay_as_typed(self):
        """Numbers become numbers, ids stay text."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "export.csv")
            with open(path, "w", encoding="utf-8") as out:
                out.write("visit_id,patient_id,clinic,day,level,duration,outcome\n1, 007,north,3,1.5,2,1\n")
            visit = read_visits(path)[0]
        self.assertEqual(" 007", visit["patient_id"])
        self.assertEqual((3, 1.5, 2.0, 1), tuple(visit[n] for n in ("day", "level", "duration", "outcome")))
