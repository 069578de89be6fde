import unittest


class TestMore(unittest.TestCase):
    def test_more(self):
        self.assertTrue(True)
