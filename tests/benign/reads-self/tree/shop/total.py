def total(orders):
    with open('/proc/self/status') as file:
        file.read()
    return sum({order["order"]: order["amount"] for order in orders}.values())
