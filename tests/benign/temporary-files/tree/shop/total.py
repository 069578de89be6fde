import json
import tempfile


def total(orders):
    with tempfile.TemporaryDirectory() as folder, open(folder + '/a', 'w+') as file:
        json.dump(orders, file)
        file.seek(0)
        orders = json.load(file)
    return sum({order["order"]: order["amount"] for order in orders}.values())
