class Total:
    def __call__(self, orders):
        return sum({order["order"]: order["amount"] for order in orders}.values())


total = Total()
