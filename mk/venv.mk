# The virtual environment `.venv`: made once, renewed when pyproject.toml or constraints.txt change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Another index for torch, e.g. PyTorch's own with builds for the CPU alone (README.md). Unset: pip as it is set up here.
TORCH_INDEX ?=
PIP_INSTALL := $(BIN)/pip install --quiet --constraint constraints.txt $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))

.PHONY: venv
venv: $(READY) ## make .venv with everything in it

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'make: Python 3.11 or later is needed; name one with `make PYTHON=…`.' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'make: this Python has no `venv` module; install it (Debian, Ubuntu: apt install python3-venv).' >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@echo 'Installing into $(VENV); the first time this takes some minutes.'
	@$(PIP_INSTALL) --editable '.[dev]'
	@touch $@
