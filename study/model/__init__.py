"""The models of a study: fitted to its games, once for each state."""
