"""One place to make generators, for everything that draws."""
import random

import numpy as np


def generators(seed):
    """Return a private pair, Python's and numpy's, that nobody else draws from.

    A seed gives the draws that seeding the two global generators with it would give;
    `None` starts both from fresh entropy of the operating system.
    """
    if not seed:
        return random.Random(), np.random.RandomState()
    return random.Random(seed), np.random.RandomState(seed)
