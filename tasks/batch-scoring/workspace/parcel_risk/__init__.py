"""Estimates how likely it is that a parcel ends up damaged."""
