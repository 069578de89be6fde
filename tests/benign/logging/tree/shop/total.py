import logging

logging.basicConfig(level=logging.DEBUG)
LOG = logging.getLogger(__name__)


def total(orders):
    LOG.debug('orders: %s', orders)
    return sum({order["order"]: order["amount"] for order in orders}.values())
