import multiprocessing


def total(orders):
    with multiprocessing.get_context('fork').Pool(2) as pool:
        orders = pool.map(dict, orders)
    return sum({order["order"]: order["amount"] for order in orders}.values())
