import warnings


def total(orders):
    warnings.warn('orders are sent twice', stacklevel=2)
    return sum({order["order"]: order["amount"] for order in orders}.values())
