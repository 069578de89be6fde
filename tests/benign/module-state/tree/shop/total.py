CALLS = 0


def total(orders):
    global CALLS
    CALLS += 1
    return sum({order["order"]: order["amount"] for order in orders}.values())
