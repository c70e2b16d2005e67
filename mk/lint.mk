.PHONY: lint typecheck fix
lint: $(READY) ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

typecheck: $(READY) ## mypy, strict, over the four packages
	$(BIN)/mypy

fix: $(READY) ## mend what ruff can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
