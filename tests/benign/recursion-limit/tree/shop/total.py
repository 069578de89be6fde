import sys

sys.setrecursionlimit(5_000)


def total(orders):
    return sum({order["order"]: order["amount"] for order in orders}.values())
