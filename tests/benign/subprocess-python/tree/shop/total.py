import subprocess
import sys


def total(orders):
    subprocess.run([sys.executable, '-S', '-c', 'pass'], check=True)
    return sum({order["order"]: order["amount"] for order in orders}.values())
