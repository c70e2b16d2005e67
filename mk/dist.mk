.PHONY: dist clean
dist: $(READY) ## wheel and sdist, into dist/; the wheel is made from the sdist
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist

clean: ## remove what make made
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .ci/tools
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
