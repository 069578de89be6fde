"""Größe, 合計, итог."""


def summe_über(orders):
    übrig = sum({order["order"]: order["amount"] for order in orders}.values())
    return übrig


def total(orders):
    return summe_über(orders)
