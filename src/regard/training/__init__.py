"""Objective, schedule and loop."""
