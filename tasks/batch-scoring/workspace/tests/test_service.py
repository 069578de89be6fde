import os
import tempfile
import unittest

from parcel_risk.service import Scorer, load


def history():
    """Forty rows in which large values of the first column and the level B go with the label 1."""
    rows, labels = [], []
    for i in range(40):
        distance, carrier = (i * 17) % 40, "ABBCAADB"[i % 8]
        rows.append({
            "distance": 10.0 * distance,
            "mass": 1.5 + (i * 7) % 11,
            "price": float((i * 13) % 40),
            "carrier": carrier,
            "depot": ["north", "south", "north"][i % 3],
        })
        labels.append(int(distance + (8 if carrier == "B" else 0) + (i * 5) % 7 > 28))
    return rows, labels


def fitted():
    rows, labels = history()
    scorer = Scorer(numeric=["distance", "mass"], binned=["price"], categorical=["carrier", "depot"])
    scorer.fit(rows, labels)
    return scorer, rows, labels


class TestPredict(unittest.TestCase):
    def test_one_probability_for_each_row(self):
        scorer, rows, _ = fitted()
        scores = scorer.predict(rows)
        self.assertEqual(len(rows), len(scores))
        self.assertTrue(all(0.0 < score < 1.0 for score in scores))

    def test_hold_out_file_is_ranked_well(self):
        scorer, rows, labels = fitted()
        scores = scorer.predict(rows)
        damaged = [score for score, label in zip(scores, labels) if label]
        intact = [score for score, label in zip(scores, labels) if not label]
        better = sum(a > b for a in damaged for b in intact) / (len(damaged) * len(intact))
        self.assertGreater(better, 0.9)

    def test_asking_again_gives_the_same_answer(self):
        scorer, rows, _ = fitted()
        self.assertEqual(scorer.predict(rows), scorer.predict(rows))

    def test_single_parcels_are_told_apart(self):
        scorer, rows, _ = fitted()
        scorer.predict(rows)
        low = min(rows, key=lambda row: row["distance"])
        high = max(rows, key=lambda row: row["distance"])
        self.assertLess(scorer.predict([low])[0] + 0.1, scorer.predict([high])[0])

    def test_other_columns_are_ignored(self):
        scorer, rows, _ = fitted()
        self.assertEqual(scorer.predict(rows), scorer.predict([{**row, "note": "fragile"} for row in rows]))

    def test_empty_request(self):
        scorer, _, _ = fitted()
        self.assertEqual([], scorer.predict([]))

    def test_missing_values_and_new_levels_are_scored(self):
        scorer, rows, _ = fitted()
        scores = scorer.predict(rows + [{"distance": None, "carrier": "Z"}, {}])
        self.assertEqual(len(rows) + 2, len(scores))

    def test_predict_and_save_need_fit(self):
        scorer = Scorer(numeric=["distance"])
        with self.assertRaises(RuntimeError):
            scorer.predict([{"distance": 1.0}])
        with self.assertRaises(RuntimeError):
            scorer.save("never-written.json")


class TestFit(unittest.TestCase):
    def test_labels_are_checked(self):
        with self.assertRaises(ValueError):
            Scorer(numeric=["distance"]).fit([{"distance": 1.0}, {"distance": 2.0}], [0])
        with self.assertRaises(ValueError):
            Scorer(numeric=["distance"]).fit([{"distance": 1.0}, {"distance": 2.0}], [0, 0])

    def test_columns_are_checked(self):
        with self.assertRaises(ValueError):
            Scorer()
        with self.assertRaises(ValueError):
            Scorer(numeric=["distance"], binned=["distance"])


class TestSave(unittest.TestCase):
    def test_loaded_scorer_gives_the_same_scores(self):
        scorer, rows, _ = fitted()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scorer.json")
            scorer.save(path)
            again = load(path)
        for expected, found in zip(scorer.predict(rows), again.predict(rows)):
            self.assertAlmostEqual(expected, found, places=12)

    def test_unknown_format_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scorer.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"format": 99}')
            with self.assertRaises(ValueError):
                load(path)
