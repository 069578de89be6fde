"""Settings shared by the offline scripts and the planning service."""

WINDOW = 3
"""How many deliveries of a courier the recent rate looks at."""

DELAY = 120
"""Minutes from the time of a delivery to the report of its outcome."""

DEFAULT_RATE = 0.5
"""The recent rate of a courier nothing is known about."""

TRAIN_SHARE = 0.7
"""Share of the training table, oldest first, that the model is fitted on."""
