from decimal import Decimal
from fractions import Fraction


def total(orders):
    return float(sum({order["order"]: order["amount"] for order in orders}.values()))
