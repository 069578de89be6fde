import functools


@functools.lru_cache
def cached(pairs):
    return sum(dict(pairs).values())


def total(orders):
    return cached(tuple((order['order'], order['amount']) for order in orders))
