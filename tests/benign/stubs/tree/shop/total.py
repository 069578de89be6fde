from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import ndarray


def total(orders):
    return sum({order["order"]: order["amount"] for order in orders}.values())
