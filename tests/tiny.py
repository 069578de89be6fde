"""A complete task in a few lines, and a benchmark around it, written to disk for tests that need the real thing."""

from pathlib import Path

CANARY = "faultline-canary-00000000-0000-4000-8000-000000000000"

TASK_TOML = f"""
schema = "faultline/task/1"
id = "count-orders"
title = "Orders in the weekly mail"
family = "count-orders"
failure_class = "metric-aggregation"
version = 1
author = "Test author"
assistance = "none"
runtime = []
editable = ["shop/*.py", "README.md"]
public_failing = ["tests/test_total.py::TestTotal::test_repeated_order"]
baseline_code = "COUNTED_TWICE"
canary = "{CANARY}"
[limits]
agent_seconds = 20
check_seconds = 2
[wrong]
wrong-first-only = "SOME_LOST"
wrong-neighbours = "COUNTED_TWICE"
[codes]
COUNTED_TWICE = "An order that is sent twice counts twice."
SOME_LOST = "An order is not counted at all."
"""

CHECKS = f'''"""Each order counts once. {CANARY}"""
from faultline.checks import Failed, check


def _orders(rng, parameters):
    return [{{"order": number, "amount": rng.randint(1, 9)}} for number in range(parameters["orders"])]


@check(codes=("COUNTED_TWICE",))
def repeats_do_not_count(candidate, rng, parameters):
    """Sending an order again changes nothing, as the README says."""
    orders = _orders(rng, parameters)
    once = candidate.call("shop.total:total", orders)
    again = candidate.call("shop.total:total", orders + [orders[0]])
    if once != again:
        raise Failed("COUNTED_TWICE", difference=again - once)


@check(codes=("SOME_LOST",))
def every_order_counts(candidate, rng, parameters):
    """Every order is counted."""
    orders = _orders(rng, parameters)
    if candidate.call("shop.total:total", orders) < sum(order["amount"] for order in orders):
        raise Failed("SOME_LOST")
'''

BASELINE = '''"""Totals."""


def total(orders):
    """Return the sum of all order amounts."""
    return sum(order["amount"] for order in orders)
'''

REFERENCE = '''"""Totals."""


def total(orders):
    """Return the sum of all order amounts, each order once."""
    return sum({order["order"]: order["amount"] for order in orders}.values())
'''

OTHER = '''"""Totals."""


def total(orders):
    """Return the sum of all order amounts, each order once."""
    seen, result = set(), 0
    for order in orders:
        if order["order"] not in seen:
            seen.add(order["order"])
            result += order["amount"]
    return result
'''

FIRST_ONLY = '''"""Totals."""


def total(orders):
    """Return the first amount, or the sum when it is short."""
    return sum(order["amount"] for order in {order["order"]: order for order in orders}.values() if order["order"] < 2)
'''

NEIGHBOURS = '''"""Totals."""


def total(orders):
    """Return the sum, passing over an order that follows itself."""
    kept = [order for before, order in zip([None, *orders], orders) if order != before]
    return sum(order["amount"] for order in kept)
'''

TESTS = """import unittest

from shop.total import total


class TestTotal(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(5, total([{"order": 0, "amount": 2}, {"order": 1, "amount": 3}]))

    def test_repeated_order(self):
        self.assertEqual(2, total([{"order": 0, "amount": 2}, {"order": 0, "amount": 2}]))
"""

VARIANTS = """
schema = "faultline/variants/1"
[[skin]]
name = "shop"
rename = {}
[[skin]]
name = "museum"
rename = { shop = "museum", order = "ticket", orders = "tickets", amount = "price", amounts = "prices" }
[[skin]]
name = "ferry"
rename = { shop = "ferry", order = "booking", orders = "bookings", amount = "fare", amounts = "fares" }
[parameters]
orders = { low = 3, high = 8 }
"""

FILES = {
    "task.toml": TASK_TOML,
    "issue.md": "# The weekly mail shows too much\n\nAn order that is sent twice must count once.\n",
    "variants.toml": VARIANTS,
    "hidden/checks.py": CHECKS,
    "workspace/README.md": "# Shop\n\nEach order counts once.\n",
    "workspace/shop/__init__.py": '"""A shop."""\n',
    "workspace/shop/total.py": BASELINE,
    "workspace/tests/test_total.py": TESTS,
    "repairs/reference/shop/total.py": REFERENCE,
    "repairs/valid-loop/shop/total.py": OTHER,
    "repairs/wrong-first-only/shop/total.py": FIRST_ONLY,
    "repairs/wrong-neighbours/shop/total.py": NEIGHBOURS,
}


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Write texts below a folder and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def write_task(tasks: Path, *, without: tuple[str, ...] = (), **changes: str) -> Path:
    """Write the tiny task below a folder of tasks; ``changes`` replaces files, ``without`` leaves some out."""
    files = {name: text for name, text in (FILES | changes).items() if name not in without}
    return write_files(tasks / "count-orders", files)


def write_benchmark(root: Path) -> Path:
    """Write a benchmark with the tiny task."""
    write_files(root, {"mkdocs.yml": "site_name: Tiny\n", "runs/.keep": ""})
    write_task(root / "tasks")
    return root
