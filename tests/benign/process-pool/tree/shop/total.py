from concurrent.futures import ProcessPoolExecutor


def total(orders):
    with ProcessPoolExecutor(2) as pool:
        orders = list(pool.map(dict, orders))
    return sum({order["order"]: order["amount"] for order in orders}.values())
