"""HiGHS, a solver of mixed-integer programs, on warehouse location: gap by CPU time.

The seed draws 15 possible warehouses and 30 customers. HiGHS decides which warehouses to open, each
at a price and with limited room, and which of them serve each customer. The gap says how much
cheaper a plan might be than the one found: the smaller, the better the plan and its proof.

Needs highspy: pip install highspy.
"""

import time

import highspy
import numpy as np

from thetafront import CategoricalParameter, Experiment, NumericParameter, Space, cpu_seconds, mean

WAREHOUSES, CUSTOMERS = 15, 30
ROOM = 5  # all warehouses together have this many times the room that customers need
STOPS = 1e-4, 0.01, 0.05, 0.2  # gaps at which the defaults stop; HiGHS's own is the first
DEFAULT = {
    "presolve": "choose",
    "effort": 0.05,
    "jump": True,
    "rins": True,
    "rens": True,
    "restart": True,
    "reliable": 8,
    "cut_age": 10,
}


def problem(seed: int) -> highspy.Highs:
    """Return the problem that a seed draws."""
    rng = np.random.default_rng(seed)
    places, homes = rng.random((WAREHOUSES, 2)), rng.random((CUSTOMERS, 2))
    demand, room = rng.uniform(5, 35, CUSTOMERS), rng.uniform(10, 160, WAREHOUSES)
    price = rng.uniform(0, 90, WAREHOUSES) + rng.uniform(100, 110, WAREHOUSES) * room**0.5
    room *= ROOM * demand.sum() / room.sum()
    way = 10 * demand * np.linalg.norm(places[:, None] - homes, axis=2)
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    is_open = [model.addBinary(obj=each) for each in price]
    share = [[model.addVariable(0, 1, obj=each) for each in row] for row in way]
    for customer in range(CUSTOMERS):
        model.addConstr(sum(row[customer] for row in share) == 1)
    for row, there, most in zip(share, is_open, room, strict=True):
        model.addConstr(sum(map(lambda size, each: size * each, demand, row)) <= most * there)
        for each in row:
            model.addConstr(each <= there)
    return model


def play(
    seed: int,
    stop: float,
    presolve: str,
    effort: float,
    jump: bool,
    rins: bool,
    rens: bool,
    restart: bool,
    reliable: int,
    cut_age: int,
) -> dict[str, float]:
    """Solve a problem; return the gap that is left, CPU time without building it, and nodes."""
    model = problem(seed)
    options = {
        "threads": 1,
        "mip_rel_gap": stop,
        "presolve": presolve,
        "mip_heuristic_effort": effort,
        "mip_heuristic_run_feasibility_jump": jump,
        "mip_heuristic_run_rins": rins,
        "mip_heuristic_run_rens": rens,
        "mip_allow_restart": restart,
        "mip_pscost_minreliable": reliable,
        "mip_lp_age_limit": cut_age,
    }
    for name, value in options.items():
        model.setOptionValue(name, value)
    began = time.process_time()
    model.run()
    seconds = time.process_time() - began
    info = model.getInfo()
    return {"gap": 100 * info.mip_gap, "seconds": seconds, "nodes": info.mip_node_count}


HIGHS = Experiment(
    name="highs",
    title="HiGHS on warehouse location",
    agent=play,
    space=Space(
        (
            NumericParameter("stop", 1e-4, 0.3, log=True, description="gap at which to stop"),
            CategoricalParameter("presolve", ("off", "choose", "on")),
            NumericParameter("effort", 0.0, 0.5, description="effort spent on heuristics"),
            CategoricalParameter("jump", (False, True)),
            CategoricalParameter("rins", (False, True)),
            CategoricalParameter("rens", (False, True)),
            CategoricalParameter("restart", (False, True)),
            NumericParameter("reliable", 1, 64, integer=True, log=True),
            NumericParameter("cut_age", 1, 100, integer=True, log=True),
        )
    ),
    goal=mean("gap", direction="minimize", unit="%", low=0.0),
    cost=cpu_seconds(per="game"),
    baselines={f"default, stop at {stop:g}": DEFAULT | {"stop": stop} for stop in STOPS},
)
