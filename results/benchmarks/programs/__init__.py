"""thetafront and Optuna tune five programs that are not ours: README.md explains the design."""
