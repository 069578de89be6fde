import json
import unittest

from scoreboard.attempts import parse_line
from scoreboard.policy import policy_from
from scoreboard.reader import read_attempts

LINE = {"suite": "algebra", "question": "n-1", "serial": 1, "finished": "2025-03-02T01:12:40+01:00", "outcome": "pass"}


class TestReader(unittest.TestCase):
    """Good lines become attempts; a bad one is named."""

    def test_fields(self):
        attempt = parse_line(json.dumps({**LINE, "worker": "w3", "reason": "retry"}))

        self.assertEqual(("algebra", "n-1", 1), (attempt.suite, attempt.question, attempt.serial))
        self.assertEqual(("w3", "retry"), (attempt.worker, attempt.reason))
        self.assertTrue(attempt.passed)

    def test_blank_lines_are_skipped(self):
        self.assertEqual(1, len(read_attempts(["", json.dumps(LINE), "  "])))

    def test_bad_line_is_named(self):
        for change in ({"serial": "1"}, {"finished": "2025-03-02T01:12:40"}, {"suite": None}):
            with self.assertRaisesRegex(ValueError, "line 2"):
                read_attempts([json.dumps(LINE), json.dumps({**LINE, **change})])


class TestPolicy(unittest.TestCase):
    """Settings are checked when they are read."""

    def test_defaults(self):
        self.assertEqual("last", policy_from({}).counts)

    def test_unknown_values_are_refused(self):
        for settings in ({"counts": "best"}, {"count": "last"}):
            with self.assertRaises(ValueError):
                policy_from(settings)
