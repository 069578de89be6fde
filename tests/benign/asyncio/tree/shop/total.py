import asyncio


async def gather(orders):
    await asyncio.sleep(0)
    return sum({order["order"]: order["amount"] for order in orders}.values())


def total(orders):
    return asyncio.run(gather(orders))
