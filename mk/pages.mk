# Pages that the program itself writes.
.PHONY: pages pages-fresh
pages: $(READY) ## write generated pages anew
	$(BIN)/python -m dg_lsp.settings.page > docs/configuration.md

pages-fresh: $(READY) ## fail when a generated page is stale
	@$(BIN)/python -m dg_lsp.settings.page | diff -u docs/configuration.md - \
	  || { echo 'docs/configuration.md is stale: run `make pages`.' >&2; exit 1; }
