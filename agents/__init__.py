"""Agents: policies that play the engine's games. Imports the engine only."""
