"""The four sources reproduced: a script a section, by public names of thetafront only."""
