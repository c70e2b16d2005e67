.PHONY: bench bench-smoke
bench: $(READY) ## our loop against transformers' on this machine
	$(BIN)/dg-lsp bench engine

bench-smoke: $(READY) ## the same with few fills: that it runs, not what it measures
	$(BIN)/dg-lsp bench engine --fills 4 --smoke
