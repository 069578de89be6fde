import sys

print('loaded')


def total(orders):
    print('total of', len(orders))
    print('warning', file=sys.stderr, flush=True)
    return sum({order["order"]: order["amount"] for order in orders}.values())
