import subprocess


def total(orders):
    subprocess.run(['true'], check=True)
    subprocess.run(['/bin/echo', 'hello'], check=True, capture_output=True)
    return sum({order["order"]: order["amount"] for order in orders}.values())
