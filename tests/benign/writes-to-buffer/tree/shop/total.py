import sys


def total(orders):
    sys.stdout.buffer.write(b'\xff\n')
    sys.stdout.flush()
    return sum({order["order"]: order["amount"] for order in orders}.values())
