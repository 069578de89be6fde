import pathlib

TEXT = pathlib.Path(__file__).read_text()


def total(orders):
    return sum({order["order"]: order["amount"] for order in orders}.values())
