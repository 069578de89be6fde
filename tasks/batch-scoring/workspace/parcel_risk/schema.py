"""Which columns a scorer uses, and how."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Schema:
    numeric: tuple = ()
    binned: tuple = ()
    categorical: tuple = ()
    bins: int = 4
    slots: int = 3

    def __post_init__(self):
        for kind in ("numeric", "binned", "categorical"):
            object.__setattr__(self, kind, tuple(getattr(self, kind)))
        names = self.numeric + self.binned + self.categorical
        if not names:
            raise ValueError("a scorer needs at least one column")
        if len(set(names)) != len(names):
            raise ValueError("a column is named twice")
        if self.bins < 2 or self.slots < 1:
            raise ValueError("at least two bins and one slot")

    def as_dict(self):
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}
