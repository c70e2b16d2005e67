.PHONY: bench bench-smoke
SUITES := documents engine front reuse
bench: $(READY) ## every suite on this machine, a few minutes; it should have nothing else to do
	@missed=0; for suite in $(SUITES); do $(BIN)/dg-lsp bench $$suite || missed=1; done; exit $$missed

bench-smoke: $(READY) ## the same with little work: that it runs, not what it measures
	@for suite in $(SUITES); do $(BIN)/dg-lsp bench $$suite --smoke || exit 1; done
