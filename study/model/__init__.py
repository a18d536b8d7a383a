"""The models that are fitted to the games of a study."""
