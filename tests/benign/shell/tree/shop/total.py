import subprocess


def total(orders):
    subprocess.run('echo a | cat', shell=True, check=True, capture_output=True)
    return sum({order["order"]: order["amount"] for order in orders}.values())
