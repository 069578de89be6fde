import locale

locale.setlocale(locale.LC_ALL, '')


def total(orders):
    return sum({order["order"]: order["amount"] for order in orders}.values())
