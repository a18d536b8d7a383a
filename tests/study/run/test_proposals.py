"""Proposals: what each may know, and that a study rebuilt proposes what the unbroken one would."""

import threading
from collections.abc import Sequence
from concurrent.futures import wait
from typing import Any

import pytest
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import Space
from thetafront.study.run.proposals import Proposals, n_at_a_time
from thetafront.study.samplers import make_sampler
from thetafront.study.samplers.observations import Objectives
from thetafront.study.scale import Scale

SPACE = EXPERIMENTS["mcmdp"].space
DIRECTIONS = [StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE]
OBJECTIVES = Objectives(scales=(Scale.LINEAR, Scale.LOG))
N_DESIGN = 4

Params = dict[str, Any]


def nehvi(number: int) -> BaseSampler:
    return make_sampler("nehvi", 3, number, N_DESIGN, OBJECTIVES)


def at_random(number: int) -> BaseSampler:
    return RandomSampler(seed=number)


def values(params: Params) -> list[float]:
    """Return a score and seconds, cheap to have; the best θ are no corners of the space."""
    u = SPACE.to_unit(params)
    far = sum((each - (k + 1) / 8) ** 2 for k, each in enumerate(u))
    return [1000.0 * (4.0 - far) + 300.0 * u[0], 10.0 ** (-5.0 + u[0] + (u[3] - 0.4) ** 2)]


def complete(number: int, params: Params, **attributes: Any) -> FrozenTrial:
    trial = create_trial(
        params=params,
        distributions=SPACE.distributions(),
        values=values(params),
        user_attrs=attributes,
    )
    trial.number = number
    return trial


def failed(number: int, params: Params) -> FrozenTrial:
    trial = create_trial(
        state=TrialState.FAIL,
        params=params,
        distributions=SPACE.distributions(),
        user_attrs={"error": "no idea how"},
    )
    trial.number = number
    return trial


def proposals_after(
    trials: Sequence[FrozenTrial] = (), sampler_of: Any = nehvi, deterministic: bool = True
) -> Proposals:
    return Proposals(trials, DIRECTIONS, SPACE, sampler_of, deterministic)


@pytest.mark.parametrize("name", ["random", "tpe", "nsga2", "nehvi", "knowledge-gradient"])
def test_a_study_accepts_the_values_of_any_sampler(name: str) -> None:
    """Optuna returns 0.1 + 2·0.1, which is not 0.3; reading a study refused it."""
    space = Space(
        (
            NumericParameter("x", 0, 1, step=0.1),
            NumericParameter("y", 0.001, 1000.0, log=True),
            NumericParameter("whole", 1, 1000, integer=True, log=True),
            NumericParameter("even", -4, 96, integer=True, step=2),
            CategoricalParameter("word", ("a", "b", "c")),
            CategoricalParameter("truth", (True, False)),
            CategoricalParameter("number", (1, 10, 100)),
            NumericParameter("z", -0.3, 0.3, step=0.2, when={"word": ["a", "b"]}),
        ),
        ("x + whole / 1000 <= 1.5",),
    )

    def sampler(number: int) -> BaseSampler:
        return make_sampler(name, 3, number, 60, OBJECTIVES, space)

    proposals = Proposals([], DIRECTIONS, space, sampler, True)
    for _ in range(40):
        proposals.begin()
        for point in proposals.take():
            assert space.check(point.params) is None
            assert point.params["x"] in [k / 10 for k in range(11)]


def next_of(proposals: Proposals) -> tuple[int, Params]:
    proposals.begin()
    (proposal,) = proposals.take()
    return proposal.number, proposal.params


def states(proposals: Proposals) -> list[TrialState]:
    return [trial.state for trial in proposals.proposer.copy.get_trials(deepcopy=False)]


FINISHED, RUNNING, FAIL, WAITING = (
    TrialState.COMPLETE,
    TrialState.RUNNING,
    TrialState.FAIL,
    TrialState.WAITING,
)

N_UNBROKEN = 10
N_FAILED = 5
"""The trial that fails, of the unbroken study."""


def ended(number: int, params: Params) -> FrozenTrial:
    return failed(number, params) if number == N_FAILED else complete(number, params)


@pytest.fixture(scope="module")
def unbroken() -> list[Params]:
    """The proposals of an uninterrupted study, each trial ended before the next is asked for."""
    proposals = proposals_after()
    made = []
    for expected in range(N_UNBROKEN):
        number, params = next_of(proposals)
        assert number == expected
        made.append(params)
        proposals.learn(ended(number, params))
    proposals.close()
    return made


def test_in_turn_a_proposal_knows_all_trials_but_the_one_before_it() -> None:
    proposals = proposals_after(sampler_of=at_random)
    for number in range(6):
        proposals.begin()
        assert [each.number for each in proposals.take()] == [number]
        # As they were when it was asked for, and itself.
        before = [FINISHED] * (number - 1) + [RUNNING] * min(number, 1)
        assert states(proposals) == [*before, RUNNING]
        params = proposals.proposer.copy.trials[number].params
        proposals.learn(complete(number, params, origin="here"))
        assert states(proposals) == [*before, RUNNING], "nothing is learned between proposals"
    proposals.begin()
    proposals.take()
    for trial in proposals.proposer.copy.trials[:5]:
        assert trial.values == values(trial.params)
        assert trial.user_attrs == {"origin": "here"}
    assert proposals.proposer.copy.trials[5].values is None
    assert proposals.proposer.copy.trials[5].user_attrs == {}


def test_out_of_turn_a_proposal_knows_all_that_has_ended() -> None:
    proposals = proposals_after(sampler_of=at_random, deterministic=False)
    made = [next_of(proposals)[1] for _ in range(3)]
    assert states(proposals) == [RUNNING] * 3
    proposals.learn(complete(2, made[2]))
    proposals.learn(complete(0, made[0]))
    assert next_of(proposals)[0] == 3
    assert states(proposals) == [FINISHED, RUNNING, FINISHED, RUNNING]


@pytest.mark.parametrize("deterministic", [True, False])
def test_a_rebuilt_study_is_known_as_it_was(deterministic: bool) -> None:
    params = [SPACE.from_unit([k / 10] * 6) for k in range(4)]
    trials = [complete(number, each, origin="here") for number, each in enumerate(params)]
    proposals = proposals_after(trials, at_random, deterministic)
    assert states(proposals) == [FINISHED] * 3 + [RUNNING if deterministic else FINISHED]
    assert proposals.proposer.copy.trials[3].params == params[3]
    assert proposals.proposer.copy.trials[3].user_attrs == (
        {} if deterministic else {"origin": "here"}
    )
    next_of(proposals)
    next_of(proposals)
    assert states(proposals)[:4] == [FINISHED] * 4
    assert proposals.proposer.copy.trials[3].values == values(params[3])
    assert proposals.proposer.copy.trials[3].user_attrs == {"origin": "here"}


@pytest.mark.parametrize("n", range(N_UNBROKEN))
def test_a_rebuilt_study_proposes_what_the_unbroken_one_does(
    unbroken: list[Params], n: int
) -> None:
    """nehvi uses all it knows; trial n − 1 has ended, or is being played, at the kill."""
    trials = [ended(number, unbroken[number]) for number in range(n)]
    assert next_of(proposals_after(trials)) == (n, unbroken[n])
    if n:
        last = create_trial(
            state=RUNNING, params=unbroken[n - 1], distributions=SPACE.distributions()
        )
        proposals = proposals_after([*trials[:-1], last])
        proposals.learn(trials[-1])
        assert next_of(proposals) == (n, unbroken[n])


def test_what_is_known_matters_to_the_sampler(unbroken: list[Params]) -> None:
    """Otherwise the tests above could not fail: knowing the last trial changes the proposal."""
    for n in (7, 8, 9):
        trials = [ended(number, unbroken[number]) for number in range(n)]
        assert next_of(proposals_after(trials, deterministic=False))[1] != unbroken[n]


def waiting(point: Params) -> FrozenTrial:
    return create_trial(
        state=WAITING, system_attrs={"fixed_params": point}, user_attrs={"origin": "design"}
    )


def test_waiting_design_trials_come_first_and_in_order() -> None:
    design = [SPACE.from_unit([u] * 6) for u in (0.9, 0.1, 0.5)]
    proposals = proposals_after([waiting(point) for point in design])
    assert proposals.next_number() == 0
    assert [next_of(proposals) for _ in range(3)] == list(enumerate(design))
    assert proposals.next_number() == 3
    number, params = next_of(proposals)
    assert number == 3
    assert params not in design


def test_what_is_left_of_the_design_comes_before_anything_else() -> None:
    design = [SPACE.from_unit([u] * 6) for u in (0.9, 0.1, 0.5)]
    trials = [complete(0, design[0]), *(waiting(point) for point in design[1:])]
    proposals = proposals_after(trials)
    assert [next_of(proposals) for _ in range(2)] == [(1, design[1]), (2, design[2])]
    assert next_of(proposals)[0] == 3


def test_a_failed_trial_is_learned_as_failed() -> None:
    proposals = proposals_after(sampler_of=at_random)
    number, params = next_of(proposals)
    proposals.learn(failed(number, params))
    for _ in range(2):
        next_of(proposals)
    assert states(proposals) == [FAIL, RUNNING, RUNNING]
    assert proposals.proposer.copy.trials[0].user_attrs == {"error": "no idea how"}


class Slow(RandomSampler):
    """A sampler that answers when it is allowed to."""

    def __init__(self, allowed: threading.Event) -> None:
        super().__init__(seed=0)
        self.allowed = allowed

    def sample_relative(self, *_: Any) -> Params:
        assert self.allowed.wait(30.0)
        return {}


def test_proposals_overlap_with_games() -> None:
    allowed = threading.Event()
    proposals = proposals_after(sampler_of=lambda _: Slow(allowed))
    proposals.begin()
    assert proposals.future is not None
    assert wait([proposals.future], timeout=0.01).not_done
    allowed.set()
    assert wait([proposals.future], timeout=30.0).done
    (proposal,) = proposals.take()
    number, params = proposal.number, proposal.params
    assert (number, set(params)) == (0, set(SPACE.names))
    assert proposals.future is None
    proposals.close()


def test_a_sampler_that_fails_says_so_when_its_proposal_is_taken() -> None:
    def broken(number: int) -> BaseSampler:
        raise RuntimeError("no idea what")

    proposals = proposals_after(sampler_of=broken)
    proposals.begin()
    with pytest.raises(RuntimeError, match="no idea what"):
        proposals.take()
    proposals.close()


def gradient(number: int) -> BaseSampler:
    return make_sampler("knowledge-gradient", 3, number, N_DESIGN, OBJECTIVES)


def many_of(proposals: Proposals, q: int) -> list[tuple[int, Params]]:
    proposals.begin(q)
    return [(each.number, each.params) for each in proposals.take()]


def test_how_many_are_proposed_at_a_time() -> None:
    assert [n_at_a_time(each) for each in (0.75, 3, 12, 15.9)] == [1] * 4
    assert [n_at_a_time(each) for each in (16, 64, 96, 256, 2048)] == [8, 8, 12, 32, 128]
    assert [n_at_a_time(64, missing) for missing in (-5, 20, 60)] == [8, 20, 32]
    assert [n_at_a_time(384, missing) for missing in (0, 100, 300)] == [48, 100, 128]
    assert n_at_a_time(3, 100) == 1


@pytest.mark.parametrize("sampler_of", [gradient, at_random])
def test_many_are_proposed_after_the_design_and_in_order(sampler_of: Any) -> None:
    design = [SPACE.from_unit([u] * 6) for u in (0.9, 0.1, 0.5)]
    proposals = proposals_after([waiting(each) for each in design], sampler_of, deterministic=False)
    assert many_of(proposals, 2) == list(enumerate(design[:2]))
    assert many_of(proposals, 4) == [(2, design[2])], "what is left of the design, and no more"
    assert proposals.seconds == []
    for number, params in enumerate(design):
        proposals.learn(complete(number, params))
    made = many_of(proposals, 4)
    assert [number for number, _ in made] == [3, 4, 5, 6]
    assert len({tuple(params.values()) for _, params in made}) == 4
    assert len(proposals.seconds) == 4
    assert states(proposals) == [FINISHED] * 3 + [RUNNING] * 4
    # As the study keeps them.
    assert [trial.params for trial in proposals.proposer.copy.trials[3:]] == [
        each for _, each in made
    ]
    assert [number for number, _ in many_of(proposals, 2)] == [7, 8]


def test_after_a_kill_the_rest_of_a_batch_is_not_proposed_twice() -> None:
    """Of six that were proposed together, three were begun: these are in flight for the next."""
    trials = [complete(k, SPACE.from_unit([(k + 1) / 9] * 6)) for k in range(6)]
    made = many_of(proposals_after(trials, gradient, deterministic=False), 6)
    begun = [
        create_trial(state=RUNNING, params=params, distributions=SPACE.distributions())
        for _, params in made[:3]
    ]
    resumed = proposals_after([*trials, *begun], gradient, deterministic=False)
    again = many_of(resumed, 6)
    assert [number for number, _ in again] == [9, 10, 11, 12, 13, 14]
    assert not any(params == old for _, params in again for _, old in made[:3])
    assert states(resumed) == [FINISHED] * 6 + [RUNNING] * 9


def test_each_of_many_keeps_its_samplers_notes() -> None:
    def evolving(number: int) -> BaseSampler:
        return make_sampler("nsga2", 3, number, N_DESIGN, OBJECTIVES)

    trials = [complete(k, SPACE.from_unit([(k + 1) / 9] * 6)) for k in range(4)]
    proposals = proposals_after(trials, evolving, deterministic=False)
    proposals.begin(3)
    assert [set(each.notes) for each in proposals.take()] == [{"NSGAIISampler:generation"}] * 3
