"""The four sources reproduced: one script per section, using only public names of thetafront."""
