# Every verb sets itself up: `make test` and `make demo` work on a fresh clone. One file a concern in mk/.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

include mk/venv.mk
include $(filter-out mk/venv.mk,$(sort $(wildcard mk/*.mk)))

.PHONY: help
help: ## say what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | sort | expand -t 18
