"""Forecast of late deliveries: export, features, training table, model, offline score."""
