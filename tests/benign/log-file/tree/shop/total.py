import logging
import os
import tempfile

logging.basicConfig(filename=os.path.join(tempfile.mkdtemp(), 'shop.log'))


def total(orders):
    logging.warning('x')
    return sum({order["order"]: order["amount"] for order in orders}.values())
