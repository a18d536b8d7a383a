"""A game of 2048 watched in a terminal, or played there by a person."""
