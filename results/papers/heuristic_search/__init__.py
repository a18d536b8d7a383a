"""Plain and labelled heuristic search, compared with value iteration on small problems."""
