# Each test runs in one piece: `unit` holds the quick ones of all folders, the others hold what is left of their folder
# (tests/conftest.py marks them). `make test` is the pieces in a row, which is what CI runs too.
PYTEST := $(BIN)/pytest
AREAS := engine front process kernels bench
PIECES := unit $(AREAS)

.PHONY: test test-unit
test: $(PIECES:%=test-%) ## all tests, piece after piece

test-unit: $(READY) ## the quick tests, under half a minute
	$(PYTEST) -m unit

.PHONY: $(AREAS:%=test-%)
$(AREAS:%=test-%): test-%: $(READY)
	$(PYTEST) tests/$* -m 'not unit'
