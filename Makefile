# One command each. Every target makes .venv first where it is missing or its lock has changed.

PROFILE ?= cpu
SEED ?= 0
FORCE ?=
MODEL ?=
TORCH ?= auto
EXTRAS ?=
PYTHON ?=
VENV := .venv
PY := $(VENV)/bin/python
OPENAGENT := $(PY) -m openagent_lib
WHICH := --profile $(PROFILE) --seed $(SEED) $(if $(MODEL),--model "$(MODEL)")
CHAIN := $(WHICH) $(if $(FORCE),--force "$(FORCE)")

export TORCH EXTRAS PYTHON VENV
export PYTHONHASHSEED := 0
export TOKENIZERS_PARALLELISM := false
export HF_HUB_DISABLE_TELEMETRY := 1
export PYTHONWARNINGS := ignore:IProgress not found

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env lab doctor status lint test smoke reproduce evaluate figures bench publish notebooks pretrain clean

help: ## this list
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^##- / { printf "  %s\n", substr($$0, 5) } \
	  /^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Set-up
env: ## make or update .venv from requirements.lock (the only step that needs the network)
	@bash scripts/make_env.sh

doctor: env ## versions, device, backbone, what is missing and what fixes it
	@$(OPENAGENT) doctor

lab: env ## open the notebooks in JupyterLab
	@$(PY) -m jupyterlab notebooks

##@ Check
test: env ## the whole test suite, the smoke chain and the notebooks included
	@$(PY) -m pytest

lint: env ## ruff, notebooks in step with their text files, large files, secrets
	@$(PY) -m ruff check . && $(PY) -m ruff format --check .
	@$(OPENAGENT) notebooks check
	@$(PY) scripts/check_files.py

smoke: env ## the whole chain at the smallest profile, in minutes
	@$(OPENAGENT) run --profile smoke --seed $(SEED) $(if $(FORCE),--force "$(FORCE)")

##@ Reproduce
reproduce: env ## the whole chain at PROFILE: build, train, evaluate, draw; runs only what is stale
	@$(OPENAGENT) run $(CHAIN)

status: env ## which stages are stale, and why
	@$(OPENAGENT) status $(WHICH)

evaluate: env ## the evaluation and what it needs
	@$(OPENAGENT) evaluate $(CHAIN)

figures: env ## the figures and tables and what they need
	@$(OPENAGENT) figures $(CHAIN)

pretrain: env ## pre-train the miniature backbone anew into runs/pretrain; resumes
	@$(OPENAGENT) pretrain --seed $(SEED)

bench: env ## measure speed
	@$(OPENAGENT) bench

##@ Maintain
notebooks: env ## write the notebooks from their text files in notebooks/py
	@$(OPENAGENT) notebooks build

publish: env ## copy the executed notebooks of PROFILE and SEED to notebooks/ as reading copies
	@$(OPENAGENT) notebooks publish $(WHICH)

clean: ## remove runs/ and caches, keep .venv
	@rm -rf runs .pytest_cache .ruff_cache .hypothesis build *.egg-info
	@find openagent_lib tests scripts notebooks -name __pycache__ -type d -prune -exec rm -rf {} +

##@ Variables
##- PROFILE=cpu      smoke, cpu, laptop, gpu, paper
##- SEED=0           seed of the run
##- FORCE=           stage (name or number, several with commas) to run again from scratch, or all
##- MODEL=           name or local path that replaces the profile's backbone
##- TORCH=auto       where torch comes from: auto, cpu, cuda, pypi (see scripts/make_env.sh)
##- EXTRAS=          gpu installs Unsloth too, laptop the small backbone of that profile
##- PYTHON=          interpreter for .venv; by default the first of python3, python3.12, python3.11 that fits
