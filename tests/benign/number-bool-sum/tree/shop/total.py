from decimal import Decimal
from fractions import Fraction


def total(orders):
    return sum({order["order"]: order["amount"] for order in orders}.values()) + False
