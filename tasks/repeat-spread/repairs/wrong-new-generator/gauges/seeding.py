"""One place to make generators, for everything that draws."""
import random

import numpy as np


def generators(seed):
    """Return a private pair, Python's and numpy's, that nobody else draws from.

    `None` starts both from fresh entropy of the operating system.
    """
    return random.Random(seed), np.random.default_rng(seed)
