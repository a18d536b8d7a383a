"""Heuristic search and its labelled form: real-time dynamic programming from one start state.

U is an upper bound of the optimal values V*, lowered as the search continues. A *simulation* of
depth d backs up each state that it visits, takes the greedy action, and draws its outcome. It ends
after d actions, or at a *solved* state: one that is terminal, or labelled as solved. The search is
optimistic: greedy play takes the action that looks best until backups make another action look
better. If d is large enough, U of the start converges to V*. No work is spent on states that greedy
play never reaches. Plain heuristic search, which has no labels, never ends.

Labelled search knows when it is done. It makes *rounds*. A round is a simulation, after which
states on its path are labelled if possible, from the last state to the first. The *envelope* of a
state consists of the state and all unsolved states that greedy play can reach from it. The
*residual* of a state is the amount by which a backup would lower U. If no residual in the envelope
exceeds δ, all states of the envelope are labelled as solved. Otherwise, these states are backed up,
beginning with the one that was found last, and the round ends. Rounds continue until the start is
solved. A label stays valid: the values of solved states no longer change, and all other values only
fall, so no action becomes better than the greedy action of a solved state.

If no residual in the envelope of s exceeds δ, the expected return of greedy play from s is at least
U(s) − δ·N. N is the expected number of actions of greedy play, where the action after k others has
the weight γᵏ. Since U(s) ≥ V*(s), both U(s) and the return of greedy play are within δ·N of the
optimum. Without a discount, N is finite only if greedy play ends, as it does in 2048. In other
problems, the states of a loop without reward may be labelled while they still have their initial
bounds.

Sources: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7 and §9.8; Barto,
Bradtke, Singh, *Learning to act using real-time dynamic programming*, Artificial Intelligence 72
(1995); Bonet, Geffner, *Labeled RTDP: Improving the Convergence of Real-Time Dynamic Programming*,
ICAPS 2003, Algorithms 3 and 4. Our readings: terminal states are solved from the beginning, and a
backup never raises a value. The residual of s is U(s) − BU(s), or 0 if the backup BU(s) is higher
(:mod:`agents.mdp.kernels`). The book's residual is |U(s) − BU(s)|, which is the same as long as no
backup raises U.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import check_seed
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import Floats, Indices, Tables, backup
from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.rng import PLAYOUT, next_word, stream

NO_LABELS = -1.0  # δ of plain heuristic search

Flags = npt.NDArray[np.bool_]


class Workspace(NamedTuple):
    """The arrays of a search except its values, allocated once."""

    path: Indices  # states of a simulation, (d,)
    touched: Flags  # states that simulations backed up, (n_states,)
    solved: Flags  # (n_states,)
    envelope: Indices  # states of the envelope, in the order found, (n_states,)
    waiting: Indices  # a stack of states still to be expanded, (n_states,)
    met: Indices  # for each state, the number of the last envelope that has it; 0 if none


@kernel
def lower(tables: Tables, values: Floats, state: Integer) -> Integer:
    """Lower U(s) to its backup if the backup is less; return the action of :func:`backup`."""
    value, action = backup(tables, values, state)
    values[state] = min(values[state], value)
    return action


@inlined
def draw_outcome(tables: Tables, action: Integer, stream: np.uint64) -> tuple[Integer, np.uint64]:
    """Draw s′ after an action with the next word of a stream; return s′ and the advanced stream."""
    word, stream = next_word(stream)
    left = np.float64(word >> np.uint64(11)) * 2.0**-53  # uniform in [0, 1)
    last = tables.first_outcome[action + 1] - 1
    # Rounded probabilities may sum to just under 1, so the last outcome takes the rest.
    for i in range(tables.first_outcome[action], last):
        left -= tables.probability[i]
        if left < 0.0:
            return tables.outcome[i], stream
    return tables.outcome[last], stream


@inlined
def simulate(
    tables: Tables, values: Floats, start: Integer, work: Workspace, outcomes: np.uint64
) -> Integer:
    """Play greedily for d actions or up to a solved state; lower ``values``.

    ``work.path`` receives the states in which an action was taken. Return their number, which is
    also the number of backups.
    """
    state = start
    n = 0
    while n < len(work.path) and not work.solved[state]:
        work.path[n] = state
        work.touched[state] = True
        n += 1
        action = lower(tables, values, state)
        state, outcomes = draw_outcome(tables, action, outcomes)
    return n


@kernel
def expand(
    tables: Tables, values: Floats, state: Integer, delta: float, work: Workspace, number: Integer
) -> tuple[Integer, float]:
    """Walk through a state's envelope depth first, but not past states with residuals above δ.

    ``number`` (1 or more) must be different for each envelope of a workspace. The states are
    written to ``work.envelope``, and one backup gives the residual of each. Return the number of
    states and their largest residual. If this is at most δ, the envelope is complete.
    """
    envelope, waiting, met = work.envelope, work.waiting, work.met
    waiting[0] = state
    met[state] = number
    n_waiting = 1
    n = 0
    largest = 0.0
    while n_waiting:
        n_waiting -= 1
        state = waiting[n_waiting]
        envelope[n] = state
        n += 1
        value, action = backup(tables, values, state)
        residual = values[state] - value
        largest = max(largest, residual)
        if residual > delta:
            continue
        for i in range(tables.first_outcome[action], tables.first_outcome[action + 1]):
            child = tables.outcome[i]
            if not work.solved[child] and met[child] != number:
                met[child] = number
                waiting[n_waiting] = child
                n_waiting += 1
    return n, largest


@kernel
def label(
    tables: Tables, values: Floats, state: Integer, delta: float, work: Workspace, number: Integer
) -> tuple[bool, Integer]:
    """Label the states of an envelope as solved, or back them up in reverse order.

    Return whether the state is solved now, and the number of backups, including those that only
    compute a residual.
    """
    n, residual = expand(tables, values, state, delta, work, number)
    if residual <= delta:
        for i in range(n):
            work.solved[work.envelope[i]] = True
        return True, n
    for i in range(n - 1, -1, -1):
        lower(tables, values, work.envelope[i])
    return False, 2 * n


@kernel
def rounds(
    tables: Tables,
    values: Floats,
    start: Integer,
    delta: float,
    work: Workspace,
    n_envelopes: Integer,
    n_done: Integer,
    max_backups: Integer,
    seed: np.uint64,
) -> tuple[Integer, Integer, Integer]:
    """Simulate and label until the start is solved.

    No round begins after this call has made ``max_backups`` backups. Round k draws from the stream
    (seed, PLAYOUT, k). Return the total numbers of envelopes and rounds, and the backups of this
    call.
    """
    n_backups: Integer = 0
    while not work.solved[start] and n_backups < max_backups:
        outcomes = stream(seed, PLAYOUT, np.uint64(n_done))
        n_path = simulate(tables, values, start, work, outcomes)
        n_backups += n_path
        n_done += 1
        if delta == NO_LABELS:
            continue
        for i in range(n_path - 1, -1, -1):
            state = work.path[i]
            if work.solved[state]:
                continue  # visited twice, and solved with the envelope of a later state
            n_envelopes += 1
            is_solved, n_more = label(tables, values, state, delta, work, n_envelopes)
            n_backups += n_more
            if not is_solved:
                break
    return n_envelopes, n_done, n_backups


class Search:
    """A search in parts: each call of :meth:`advance` continues it, until it is done.

    Simulations begin at ``start``, a state that is not terminal. ``upper_bound``, shape
    (n_states,), is an upper bound of V*. ``values`` begin with this bound, and the search lowers
    them; but terminal states have the value 0, whatever their bound. ``depth`` is d (1 or more),
    and ``delta`` is δ in the unit of rewards; by default, there are no labels. A ``delta`` of 0
    asks for values that are exact up to rounding; use it only if no state can be reached twice.
    """

    def __init__(
        self,
        mdp: FiniteMDP,
        start: int,
        upper_bound: npt.ArrayLike,
        seed: int,
        depth: int,
        delta: float = NO_LABELS,
    ) -> None:
        mdp.check_state(start, "start")
        if not mdp.actions(start):
            raise ValueError(
                f"start must be a state with an action (got {start}, a terminal state)"
            )
        check_seed(seed)
        self.tables, self.start, self.seed, self.delta = mdp.tables, start, np.uint64(seed), delta
        self.values = np.where(mdp.terminal, 0.0, mdp.checked_values(upper_bound, "upper_bound"))
        n, flags = mdp.n_states, np.zeros(mdp.n_states, np.bool_)
        lists = (np.zeros(n, np.int64) for _ in range(3))
        self.work = Workspace(np.empty(depth, np.int64), flags, mdp.terminal.copy(), *lists)
        self.n_envelopes = self.n_done = self.n_backups = 0

    @property
    def is_done(self) -> bool:
        """Whether the start is solved."""
        return bool(self.work.solved[self.start])

    @property
    def n_touched(self) -> int:
        """States that were backed up at least once."""
        return int((self.work.touched | (self.work.met > 0)).sum())

    def advance(self, n_backups: int) -> None:
        """Continue until at least ``n_backups`` more backups are made, or the search is done."""
        given = self.tables, self.values, self.start, self.delta, self.work
        found = rounds(*given, self.n_envelopes, self.n_done, n_backups, self.seed)
        self.n_envelopes, self.n_done, n_more = map(int, found)
        self.n_backups += n_more
