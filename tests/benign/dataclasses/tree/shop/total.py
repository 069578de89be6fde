from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    ORDER = 1


@dataclass(frozen=True)
class Order:
    number: int
    amount: int
    kind: Kind = Kind.ORDER


def total(orders):
    return sum(order.amount for order in {Order(order["order"], order["amount"]) for order in orders})
