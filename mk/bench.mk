.PHONY: bench bench-smoke
SUITES := documents engine front reuse soak
bench: $(READY) ## every suite on this machine, about half an hour; it should have nothing else to do
	@missed=0; for suite in $(SUITES); do $(BIN)/dg-lsp bench $$suite || missed=1; done; exit $$missed

# The tests of the benchmark run every suite so; here the two whose last lines are worth a look in a log.
bench-smoke: $(READY) ## two of them with little work: that they run, not what they measure
	@for suite in engine front; do $(BIN)/dg-lsp bench $$suite --smoke || exit 1; done
