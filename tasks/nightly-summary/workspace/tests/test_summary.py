import json
import unittest

from scoreboard.night import night_report, summarise_night

SETTINGS = {"counts": "last", "infrastructure": ["host-lost"]}


def line(suite, question, outcome, serial=1, minute=0, reason="scheduled"):
    finished = f"2025-03-02T02:{minute:02}:00+00:00"
    return json.dumps({"suite": suite, "question": question, "serial": serial, "finished": finished,
                       "outcome": outcome, "worker": "w1", "reason": reason})


SUNDAY = [
    line("algebra", "n-1", "pass", minute=1),
    line("algebra", "n-2", "fail", minute=2),
    line("geometry", "m-1", "pass", minute=3),
    line("geometry", "m-2", "timeout", minute=4),
]
RERUNS = [
    line("algebra", "n-1", "pass", serial=2, minute=11, reason="confirmation"),
    line("algebra", "n-1", "pass", serial=3, minute=12, reason="confirmation"),
    line("geometry", "m-1", "pass", serial=2, minute=13, reason="confirmation"),
]


class TestSummary(unittest.TestCase):
    """A night with one attempt for each question."""

    def test_overall(self):
        row = summarise_night(SUNDAY, SETTINGS)["overall"]

        self.assertEqual((4, 2, 0), (row["questions"], row["passed"], row["unresolved"]))
        self.assertAlmostEqual(0.5, row["score"])

    def test_one_row_for_each_suite(self):
        summary = summarise_night(SUNDAY[:3], SETTINGS)

        self.assertEqual(["algebra", "geometry"], sorted(summary["suites"]))
        self.assertAlmostEqual(0.5, summary["suites"]["algebra"]["score"])
        self.assertAlmostEqual(1.0, summary["suites"]["geometry"]["score"])

    def test_retry_after_a_lost_machine(self):
        log = [line("algebra", "n-3", "host-lost"), line("algebra", "n-3", "pass", serial=2, minute=5, reason="retry")]
        row = summarise_night(SUNDAY + log, SETTINGS)["suites"]["algebra"]

        self.assertEqual((3, 2, 0), (row["questions"], row["passed"], row["unresolved"]))

    def test_lines_read(self):
        self.assertEqual(7, summarise_night(SUNDAY + RERUNS, SETTINGS)["overall"]["attempts"])

    def test_empty_log_is_an_error(self):
        with self.assertRaises(ValueError):
            summarise_night([], SETTINGS)


class TestConfirmations(unittest.TestCase):
    """Monday: every question that passed was run again, and passed again."""

    def test_monday_reads_like_sunday(self):
        sunday = summarise_night(SUNDAY, SETTINGS)["overall"]
        monday = summarise_night(SUNDAY + RERUNS, SETTINGS)["overall"]

        self.assertAlmostEqual(sunday["score"], monday["score"])


class TestReport(unittest.TestCase):
    """The table shows the summary."""

    def test_rows(self):
        rows = [text.split() for text in night_report(SUNDAY, SETTINGS).splitlines()]

        self.assertEqual(["counts:", "last", "attempt"], rows[0])
        self.assertEqual(["algebra", "2", "1", "0", "2", "0.500"], rows[2])
        self.assertEqual(["overall", "4", "2", "0", "4", "0.500"], rows[-1])
