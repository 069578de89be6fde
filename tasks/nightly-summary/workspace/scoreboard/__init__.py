"""The summary of one night: attempt logs in, one row for each suite out."""
