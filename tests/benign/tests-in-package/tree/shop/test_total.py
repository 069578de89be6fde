import unittest

from shop.total import total


class TestTotal(unittest.TestCase):
    def test_none(self):
        self.assertEqual(0, total([]))
