"""Heuristic search and its labelled form beside value iteration, on problems solved exactly."""
