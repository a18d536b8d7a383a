"""A game watched in a terminal, of 2048 or of Pacman, or one of 2048 played there by a person."""
