"""One place to set seeds, and to undo it."""
import functools
import random

import numpy as np


def set_seeds(seed):
    """Seed `random` and `numpy.random`; only for functions marked with `leaves_no_trace`."""
    random.seed(seed)
    np.random.seed(seed)


def leaves_no_trace(function):
    """Make a function hand back both generators as it found them, whatever happens inside."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        python, numeric = random.getstate(), np.random.get_state()
        try:
            return function(*args, **kwargs)
        finally:
            random.setstate(python)
            np.random.set_state(numeric)

    return wrapper
