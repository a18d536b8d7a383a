# Every target makes what it needs: on a fresh machine with Python 3.11, gcc and make, `make sweep`
# and `make test` are all it takes.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed

.DEFAULT_GOAL := help
.PHONY: help install sweep test test-sweeps test-papers test-lowest test-slow test-cluster test-browser drills check format bench champions training benchmark-samplers \
	compare-samplers table1 decision-tree bellman expectimax replicates switching mcts heuristic-search uct dice pacman zstd highs programs certificates stopping pages docs docs-outputs clean

# Each option of `thetafront sweep` is a variable, given as `make sweep BUDGET=1h`; one left empty is not
# passed on. The environment does not set them.
EXPERIMENT = mcmdp
OPTIONS := trials replicates jobs name seed sampler design design-size cost widen until-regret standard-error \
	validation-games validation-points budget storage scheduler tls-ca tls-cert tls-key results

quoted = '$(subst ','\'',$(1))'
variable = $(shell echo $(1) | tr a-z- A-Z_)
VARIABLES := $(call variable,$(OPTIONS))
$(foreach each,$(VARIABLES),$(eval $(each) =))
option = $(if $($(call variable,$(1))),--$(1) $(call quoted,$($(call variable,$(1)))))

help: ## show this text
	@echo 'thetafront: score against seconds per move'
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 26
	@echo
	@echo 'Variables of `make sweep`: EXPERIMENT $(VARIABLES).' | fold -s -w 100
	@echo 'Each is an option of `thetafront sweep`; see its --help.'

install: $(INSTALLED) ## create .venv and install pinned dependencies

$(INSTALLED): pyproject.toml .constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt --editable '.[dev]'
	touch $@

sweep: $(INSTALLED) ## tune θ, or resume: tables and pictures in results/
	@$(BIN)/thetafront sweep $(call quoted,$(EXPERIMENT)) $(foreach each,$(OPTIONS),$(call option,$(each)))

PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile

test: $(INSTALLED) ## run the tests (7 to 10 minutes on two cores)
	$(PYTEST)

test-sweeps: $(INSTALLED) ## run the tests of whole sweeps, kills and failures (minutes)
	$(PYTEST) -m sweeps

test-papers: $(INSTALLED) ## run the tests of papers and benchmarks (minutes)
	$(PYTEST) -m "papers and not slow"

test-slow: $(INSTALLED) ## run the tests that take longer, and the notebooks of docs/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt --editable '.[dev,docs]'
	$(BIN)/python -m pytest -m slow

test-cluster: $(INSTALLED) ## run the tests that need Dask or PostgreSQL, with real processes (minutes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt --editable '.[dev,cluster]'
	$(BIN)/python -m pytest -m cluster

test-browser: $(INSTALLED) ## run the tests that open pages in Chromium, with real clicks and keys (minutes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt --editable '.[dev,browser]'
	@$(BIN)/python -m tests.browser.chromium || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then apt-get update --quiet && apt-get install --yes --no-install-recommends chromium; \
		else echo 'Tests are skipped without it; on Debian: apt-get install chromium, or set CHROMIUM to its path' >&2; fi; }
	$(BIN)/python -m pytest -m browser

LOWEST := .cache/lowest
LOWER_BOUNDS := import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*(each.replace(">=", "==") for each in project["dependencies"]), sep="\n")

test-lowest: ## install the lowest versions that pyproject.toml allows, and run a short suite with them
	$(PYTHON) -m venv --clear $(LOWEST)
	$(PYTHON) -c '$(LOWER_BOUNDS)' > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(LOWEST)/constraints.txt '.' pytest
	$(LOWEST)/bin/python -m pytest -q tests/study/test_api.py tests/study/test_pareto.py tests/study/samplers/test_samplers.py

INTERRUPTS = 40
DOUBLE = 10
KILLS = 20
DAMAGES = 100

drills: $(INSTALLED) ## interrupt, kill, damage (minutes): INTERRUPTS=500 DOUBLE=100 KILLS=60 DAMAGES=200 for more
	$(BIN)/python -m tests.drills.interrupts --single $(INTERRUPTS) --double $(DOUBLE)
	$(BIN)/python -m tests.drills.kills --n $(KILLS)
	$(BIN)/python -m tests.drills.damage --n $(DAMAGES)
	$(BIN)/python -m tests.drills.bad_input

check: $(INSTALLED) ## format, lint, spelling, style of prose, types, import contracts, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/python docs/tools/style.py
	$(BIN)/mypy
	$(BIN)/mypy -p results.papers -p results.benchmarks
	$(BIN)/lint-imports
	$(PYTEST)

format: $(INSTALLED) ## format, and fix what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(INSTALLED) ## measure the engine, against C programs too
	@$(BIN)/python -m results.benchmarks.engine --c-reference --output results/bench

benchmark-samplers: $(INSTALLED) ## compare samplers on simulated studies (hours; resumes if stopped)
	@$(BIN)/python -m results.benchmarks.samplers --output results/samplers

NETWORKS := $${THETAFRONT_NETWORKS:-results/networks}

champions: $(INSTALLED) ## train networks for 1 to 90 CPU minutes, and draw all agents of 2048 (2.5 hours; resumes if stopped)
	@$(BIN)/thetafront train ntuple --name minute --cpu-seconds 60
	@$(BIN)/thetafront train ntuple --name five --cpu-seconds 300
	@$(BIN)/thetafront train ntuple --name fifteen --cpu-seconds 900
	@$(BIN)/thetafront train ntuple --name one-stage --patterns 8x6 --cooling 0 --cpu-seconds 2200
	@test -f "$(NETWORKS)/staged/checkpoint.npz" || { mkdir -p "$(NETWORKS)/staged" && \
		cp "$(NETWORKS)/one-stage/checkpoint.npz" "$(NETWORKS)/staged/copy" && mv "$(NETWORKS)/staged/copy" "$(NETWORKS)/staged/checkpoint.npz"; }
	@$(BIN)/thetafront train ntuple --name staged --patterns 8x6 --stages 4 --cpu-seconds 5400 --cooling 0.1
	@$(BIN)/thetafront champions --network minute --network five --network fifteen --network staged

TRAINING := results/benchmarks/training/training.py

training: $(INSTALLED) ## tune networks that are trained for 5, 20 and 80 million moves (65 minutes; resumes if stopped)
	@$(BIN)/thetafront sweep $(TRAINING):FIVE --budget 12m $(call option,jobs,JOBS)
	@$(BIN)/thetafront sweep $(TRAINING):TWENTY --budget 18m $(call option,jobs,JOBS)
	@$(BIN)/thetafront sweep $(TRAINING):EIGHTY --budget 30m $(call option,jobs,JOBS)
	@$(BIN)/thetafront validate train_80m --budget 5m $(call option,jobs,JOBS)
	@$(BIN)/thetafront report train_5m train_20m train_80m --output results/training.html

SAMPLERS := knowledge-gradient nehvi tpe random
SEEDS := 1 2 3
COMPARED := $(foreach sampler,$(SAMPLERS),$(foreach seed,$(SEEDS),$(sampler)-$(seed)))

compare-samplers: $(addprefix compare/,$(COMPARED)) ## compare samplers on the real agent (half an hour; resumes if stopped)
	@$(BIN)/thetafront compare $(COMPARED) --output results/compare

compare/%: $(INSTALLED)
	@$(BIN)/thetafront sweep mcmdp --name $* --sampler $(patsubst %-$(lastword $(subst -, ,$*)),%,$*) \
		--seed $(lastword $(subst -, ,$*)) --budget none --trials 64 --cost playout_moves_per_move \
		--validation-points 8 --validation-games 100

table1: $(INSTALLED) ## play the paper's Table 1 and Figure 3 again (an hour of CPU; resumes if stopped)
	@$(BIN)/python -m results.papers.table1 --output results/table1 $(call option,jobs,JOBS)

decision-tree: $(INSTALLED) ## count the states of 2048 (the paper's section 2; half a minute)
	@$(BIN)/python -m results.papers.decision_tree --output results/decision_tree

bellman: table1 ## equation 3 against equation 2, with the games of table1 (half an hour of CPU)
	@mkdir -p results/bellman
	@test -f results/bellman/games.csv || cp results/table1/agents.json results/table1/games.csv results/bellman
	@$(BIN)/python -m results.papers.bellman --output results/bellman $(call option,jobs,JOBS)

replicates: $(INSTALLED) ## how many games make a trial: two θ, 1,000 games each (some minutes)
	@$(BIN)/python -m results.papers.replicates --output results/replicates $(call option,jobs,JOBS)

expectimax: $(INSTALLED) ## the discount of equation 4 (a quarter of an hour of CPU; resumes if stopped)
	@$(BIN)/python -m results.papers.expectimax --output results/expectimax $(call option,jobs,JOBS)

switching: $(INSTALLED) ## tune the deeper-searching agent, compare it with the plain one at equal time (an hour of CPU)
	@$(BIN)/thetafront sweep switching $(call option,jobs,JOBS)
	@$(BIN)/thetafront equal-time results/reference/mcmdp switching --games 75 --overlap-only \
		--output results/equal_time $(call option,jobs,JOBS)

mcts: $(INSTALLED) ## tree search by leaf value, and with widening (an hour of CPU; resumes if stopped)
	@$(BIN)/python -m results.papers.mcts --output results/mcts $(call option,jobs,JOBS)

heuristic-search: $(INSTALLED) ## heuristic search beside value iteration, on small boards and three dice (some minutes; resumes if stopped)
	@$(BIN)/python -m results.papers.heuristic_search --output results/heuristic_search

uct: $(INSTALLED) ## tune tree search, and compare it with mcmdp at equal time (an hour and a half of CPU)
	@$(BIN)/thetafront sweep uct --budget 25m --trials 256 --design-size 64 --seed 1 $(call option,jobs,JOBS)
	@$(BIN)/thetafront equal-time results/reference/mcmdp uct --games 30 \
		--output results/uct_mcmdp $(call option,jobs,JOBS)

dice: $(INSTALLED) ## three dice by value iteration: the post's table beside exact expectations (seconds)
	@$(BIN)/python -m results.papers.dice --output results/dice_report

pacman: $(INSTALLED) ## Pacman by value iteration: the report's figures and claims (half an hour; resumes if stopped)
	@$(BIN)/python -m results.papers.pacman --output results/pacman_report $(call option,jobs,JOBS)

ZSTD := results/reference/zstd
SLICES := .cache/zstd/slices

zstd: $(INSTALLED) ## tune a compressor, an external program (a quarter of an hour; needs zstd)
	@command -v zstd > /dev/null || { echo 'zstd is not installed; on Debian it is the package zstd' >&2; exit 1; }
	@$(PYTHON) $(ZSTD)/corpus.py $(SLICES) > /dev/null
	@$(BIN)/thetafront sweep $(ZSTD)/zstd.toml --budget 12m --trials 256 --design-size 64 --seed 1 $(call option,jobs,JOBS)
	@$(BIN)/python $(ZSTD)/levels.py zstd

highs: $(INSTALLED) ## tune a solver of mixed-integer programs (some minutes; installs highspy)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt highspy==1.16.0
	@$(BIN)/thetafront sweep results/reference/highs/highs.py --trials 96 --validation-games 64 --validation-points 8 --budget none \
		--seed 1 --jobs 1

programs: $(INSTALLED) ## tune five external programs, and compare with three samplers of Optuna (an hour and a half; resumes if stopped)
	@test -x /usr/games/stockfish || { echo 'Stockfish is not installed; on Debian it is the package stockfish' >&2; exit 1; }
	@command -v xz > /dev/null || { echo 'xz is not installed; on Debian it is the package xz-utils' >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt --editable '.[dev,gp]'
	@$(BIN)/python -m results.benchmarks.programs --output results/programs
	@PYTHONPATH=. $(BIN)/python results/reference/programs/defaults.py results/programs

certificates: $(INSTALLED) ## how often certificates of simulated studies hold, 500 per surface (six hours on two cores; resumes if stopped)
	@$(BIN)/python -m results.benchmarks.certificates --output results/certificates

stopping: $(INSTALLED) ## how many games a sweep --until-regret takes, against studies of a fixed length (an hour and a half on two cores; resumes if stopped)
	@$(BIN)/python -m results.benchmarks.certificates.stopping --output results/stopping

pages: $(INSTALLED) ## write page and pictures of every published study, and their list (some minutes)
	@$(BIN)/thetafront report --each results/reference

docs: $(INSTALLED) ## build the documentation into site/, strictly: a broken link is an error (half a minute)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt --editable '.[dev,docs]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo 'Open site/index.html'

docs-outputs: $(INSTALLED) ## run the commands of the tutorial and the notebooks again and store what they print (minutes)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt --editable '.[dev,docs]'
	@$(BIN)/python docs/tools/outputs.py docs/tutorial.md
	@$(BIN)/python docs/tools/notebooks.py docs/notebooks/*.ipynb

clean: ## remove environment and caches; results stay
	rm -rf $(VENV) site .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
