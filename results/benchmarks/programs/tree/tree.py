"""A decision tree that reads digits: its error, and how many bytes it takes.

Error and size change in steps, with each split. The seed decides which pictures the tree learns
from.
"""

import pickle

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from thetafront import CategoricalParameter, Experiment, NumericParameter, Space, mean, reported

PICTURES, DIGITS = load_digits(return_X_y=True)


def play(seed: int, **theta: float | str) -> dict[str, float]:
    """Learn from half of the pictures; return the error on the others and the tree's size."""
    halves = train_test_split(PICTURES, DIGITS, test_size=0.5, random_state=seed)
    learnt_from, judged_by, learnt_digits, true_digits = halves
    tree = DecisionTreeClassifier(random_state=seed, **theta).fit(learnt_from, learnt_digits)
    wrong = tree.predict(judged_by) != true_digits
    return {"error": float(wrong.mean()), "bytes": len(pickle.dumps(tree))}


TREE = Experiment(
    name="tree",
    title="A decision tree for digits",
    agent=play,
    space=Space(
        (
            NumericParameter("max_depth", 1, 16, integer=True),
            NumericParameter("max_leaf_nodes", 2, 512, integer=True, log=True),
            NumericParameter("min_samples_leaf", 1, 100, integer=True, log=True),
            NumericParameter("max_features", 0.05, 1.0),
            NumericParameter("ccp_alpha", 1e-5, 3e-2, log=True),
            CategoricalParameter("criterion", ("gini", "entropy")),
            CategoricalParameter("splitter", ("best", "random")),
        )
    ),
    goal=mean("error", direction="minimize", low=0.0, high=1.0),
    cost=reported("bytes"),
)
