from multiprocessing import shared_memory


def total(orders):
    block = shared_memory.SharedMemory(create=True, size=16)
    block.close()
    block.unlink()
    return sum({order["order"]: order["amount"] for order in orders}.values())
