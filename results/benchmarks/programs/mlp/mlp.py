"""A small neural network that reads digits: its accuracy, and how long it takes to learn.

Some parameters exist only for some solvers: L-BFGS has no batches and no learning rate, and only
plain gradient descent has momentum.
"""

import warnings

from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from thetafront import CategoricalParameter, Experiment, NumericParameter, Space, mean

PICTURES, DIGITS = load_digits(return_X_y=True)
warnings.simplefilter("ignore", ConvergenceWarning)  # learning ends when the epochs are over


def play(
    seed: int,
    solver: str,
    hidden: int,
    epochs: int,
    alpha: float,
    rate: float = 0.001,
    batch: int = 200,
    momentum: float = 0.9,
) -> dict[str, float]:
    """Learn from half of the pictures; return the accuracy on the others."""
    halves = train_test_split(PICTURES / 16.0, DIGITS, test_size=0.5, random_state=seed)
    learnt_from, judged_by, learnt_digits, true_digits = halves
    network = MLPClassifier(
        (hidden,),
        solver=solver,
        alpha=alpha,
        batch_size=batch,
        learning_rate_init=rate,
        momentum=momentum,
        max_iter=epochs,
        random_state=seed,
    ).fit(learnt_from, learnt_digits)
    return {"accuracy": float(network.score(judged_by, true_digits))}


BY_GRADIENT = {"solver": ["sgd", "adam"]}
MLP = Experiment(
    name="mlp",
    title="A neural network for digits",
    agent=play,
    space=Space(
        (
            CategoricalParameter("solver", ("lbfgs", "sgd", "adam")),
            NumericParameter("hidden", 2, 128, integer=True, log=True),
            NumericParameter("epochs", 1, 60, integer=True, log=True),
            NumericParameter("alpha", 1e-6, 1.0, log=True),
            NumericParameter("rate", 1e-4, 1.0, log=True, when=BY_GRADIENT),
            NumericParameter("batch", 8, 512, integer=True, log=True, when=BY_GRADIENT),
            NumericParameter("momentum", 0.0, 0.99, when={"solver": ["sgd"]}),
        )
    ),
    goal=mean("accuracy", low=0.0, high=1.0),
)
