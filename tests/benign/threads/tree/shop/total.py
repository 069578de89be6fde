from concurrent.futures import ThreadPoolExecutor


def total(orders):
    with ThreadPoolExecutor(2) as pool:
        orders = list(pool.map(dict, orders))
    return sum({order["order"]: order["amount"] for order in orders}.values())
