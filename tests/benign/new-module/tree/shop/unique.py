def once(orders):
    return sum({order["order"]: order["amount"] for order in orders}.values())
