.PHONY: demo
demo: $(READY) ## watch the server complete real files
	@$(BIN)/dg-lsp demo
