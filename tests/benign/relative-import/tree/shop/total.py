from .unique import total
