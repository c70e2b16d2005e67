# Pages that the program itself writes.
.PHONY: pages pages-fresh
pages: $(READY) ## write generated pages anew
	$(BIN)/python -m dg_lsp.settings.page > docs/configuration.md

pages-fresh: $(READY) ## fail when a generated page is stale
	@$(BIN)/python -m dg_lsp.settings.page docs/configuration.md
