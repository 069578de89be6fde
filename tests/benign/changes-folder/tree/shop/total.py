import os


def total(orders):
    before = os.getcwd()
    os.chdir('/')
    os.chdir(before)
    return sum({order["order"]: order["amount"] for order in orders}.values())
