"""Tree search: Kochenderfer, Wheeler, Wray (2022), §9.6.

A leaf value estimates the score that follows a leaf of the search tree. For each leaf value, the
script measures the score against the number of simulations and against time, and the time of a
decision against depth. It also measures progressive widening of states and of actions at equal
time, other exploration constants, and other readings of the source.
"""

from itertools import product

from results.papers import paper
from results.papers.mcts import design, figures, tables, timing
from results.papers.mcts.design import ACTIONS, DEPTH, STATES, TITLES, plain, row_name
from thetafront.agents.agent import Agent
from thetafront.study import estimate as intervals

GAMES_OF_A_READING = 2  # times as many games as in other rows, since effects may be small
SHOWN_DEPTHS = (1, 5, 10, 15, 20)


def mcts(of: paper.Paper) -> None:
    """Measure missing times, play missing games, and write the results."""
    calibration = timing.calibrated(of.output / "calibration.csv")
    rounds = timing.timing_rounds(of.output / "timing_rounds.csv")
    agents = [plain(leaf_value, m) for m, leaf_value in product(design.SIMULATIONS, TITLES)]
    agents += [plain(*case, c) for case, c in product(design.EXPLORED, design.EXPLORATIONS)]
    rows: dict[str, Agent] = {row_name(agent): agent for agent in agents}
    rows |= {setting.name: setting.agent(m) for setting, (m, _) in calibration.items()}
    games = of.play(rows)
    other: dict[str, Agent] = {}
    for change, default, agent in design.readings():
        other |= {row_name(default): default, f"{row_name(default)}, {change}": agent}
    more = range(of.seeds[0], of.seeds[0] + GAMES_OF_A_READING * of.n_games)
    points = tables.points_frame(games)
    found = {
        "mcts": points,
        "timings": timing.timings_frame(rounds),
        "equal_time": tables.equal_time_frame(points, games),
        "widening": tables.widening_frame(calibration, games),
        "exploration": tables.exploration_frame(games),
        "readings": tables.readings_frame(of.play(other, more)),
    }
    drawn = {
        "mcts": figures.score_figure(points),
        "execution_time": figures.execution_time_figure(found["timings"]),
        "equal_time": figures.equal_time_figure(points),
        "widening": figures.widening_figure(found["widening"], STATES),
        "action_widening": figures.widening_figure(found["widening"], ACTIONS),
    }
    leaders, timings = found["equal_time"], found["timings"].query("depth in @SHOWN_DEPTHS")
    shorter = {"seconds_per_decision": "seconds", "relative_to_random": "relative"}
    timings = timings.rename(columns=shorter)
    times = timing.decision_seconds(rounds).loc[DEPTH]
    slower = times.rdiv(times["lookahead"], axis=0)
    titles = {each.value: title for each, title in TITLES.items()}
    titled = {name: each.replace({"leaf_value": titles}) for name, each in found.items()}
    widening = titled["widening"].assign(
        above=lambda frame: frame["less_plain_low95_points"] > 0,
        below=lambda frame: frame["less_plain_high95_points"] < 0,
    )
    plains, states, actions = (widening.query("widened == @each") for each in ("", STATES, ACTIONS))
    by_kind = widening.groupby("widened")
    of.write(
        "mcts",
        found,
        drawn,
        scores=paper.wide(points, "n_simulations", "leaf_value", "score"),
        at=paper.by(points, "{leaf_value} {n_simulations}"),
        relative=paper.wide(timings, "depth", "leaf_value", "relative"),
        decisions=paper.wide(timings, "depth", "leaf_value", "seconds"),
        slower={name: paper.interval(intervals.median([*each])) for name, each in slower.items()},
        call=paper.Number(rounds["call_seconds"].median()),
        budgets=paper.wide(leaders, "seconds_per_move", "leaf_value", "score"),
        gaps=paper.wide(leaders, "seconds_per_move", "leaf_value", "ahead_of"),
        plains=plains.assign(
            gain=[tables.points_a_percent(points, *case) for case in design.CASES]
        ),
        states=states,
        actions=actions,
        n=by_kind[["above", "below"]].sum(),
        in_games=by_kind["relative_time"].agg(["min", "max"]),
        explored=titled["exploration"],
        read=titled["readings"],
    )


if __name__ == "__main__":
    paper.script(mcts, "mcts", 100)
