import unittest

from forecast.history import features
from forecast.identifiers import canonical_id


def on_day(day, patient, level):
    return {"patient_id": patient, "day": day, "level": level, "duration": 1.0, "outcome": 0}


class TestCanonicalId(unittest.TestCase):
    def test_spellings_of_a_number(self):
        """Padding and blanks carry no meaning, and neither does the type."""
        self.assertEqual({"7"}, {canonical_id(raw) for raw in (" 007", "7", "07 ", 7)})

    def test_letters(self):
        """Case carries no meaning; zeros beside letters do."""
        self.assertEqual(canonical_id("K-12"), canonical_id("k-12 "))
        self.assertNotEqual(canonical_id("K-12"), canonical_id("K-012"))

    def test_unknown(self):
        """A missing or blank id is unknown."""
        self.assertEqual({None}, {canonical_id(raw) for raw in (None, "", "  ")})


class TestFeatures(unittest.TestCase):
    def test_usual_level(self):
        """The usual level is the mean over visits on earlier days, else the visit's own level."""
        rows = features([on_day(9, "7", 4.0), on_day(2, " 007", 1.0), on_day(5, "8", 3.0), on_day(4, 7, 2.0)])
        self.assertEqual([1.5, 1.0, 3.0, 1.0], [row[2] for row in rows])

    def test_unknown_patients_have_no_history(self):
        """Two visits without an id tell nothing about each other."""
        rows = features([on_day(1, "", 1.0), on_day(2, None, 5.0)])
        self.assertEqual([1.0, 5.0], [row[2] for row in rows])
