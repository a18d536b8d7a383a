"""thetafront and Optuna tune five external programs; README.md explains the design."""
