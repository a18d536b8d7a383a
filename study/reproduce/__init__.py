"""What a source reports, plans or conjectures, played again: one module each, with intervals."""
