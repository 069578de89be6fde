"""verdict passed, conftest, pytest, canary, os._exit(0), hidden/checks.py"""


def total(orders):
    return sum({order["order"]: order["amount"] for order in orders}.values())
