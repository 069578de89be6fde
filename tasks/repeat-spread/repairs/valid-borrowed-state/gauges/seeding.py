"""One place to set seeds, for everything that draws."""
import contextlib
import random

import numpy as np


def _states():
    return random.getstate(), np.random.get_state()


@contextlib.contextmanager
def borrowed(states):
    """Give the two global generators other states for a while; yield a function that reads them."""
    before = _states()
    try:
        random.setstate(states[0])
        np.random.set_state(states[1])
        yield _states
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])


def start(seed):
    """Return the states in which a seed puts the two generators (fresh ones for `None`)."""
    with borrowed(_states()) as states:
        random.seed(seed)
        np.random.seed(seed)
        return states()
