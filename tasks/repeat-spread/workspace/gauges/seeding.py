"""One place to set seeds, for everything that draws."""
import random

import numpy as np


def set_seeds(seed):
    """Seed `random` and `numpy.random`, so that the draws that follow can be repeated.

    With `None` both start from fresh entropy of the operating system.
    """
    random.seed(seed)
    np.random.seed(seed)
