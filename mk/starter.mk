# The built-in model's training, in build/starter: packages for the corpus, the corpus, the run with its checkpoint, the scores.
MINUTES ?= 60
STARTER := build/starter
RECIPE := engine/starter_recipe
STARTER_SITE := $(STARTER)/packages/lib/python3.*/site-packages
HELD_OUT = $(shell cat $(RECIPE)/held_out.txt)
# Threads that wait must not spin: other programs share the cores.
QUIETLY := OMP_WAIT_POLICY=PASSIVE nice -n 19 $(BIN)/python

.PHONY: starter starter-scores
starter: $(STARTER)/corpus/texts.npz ## train the built-in model for MINUTES in all; goes on from its checkpoint
	$(QUIETLY) $(RECIPE)/train.py $(STARTER)/corpus $(STARTER)/run --minutes $(MINUTES)
	$(QUIETLY) $(RECIPE)/curves.py $(STARTER)/run
	$(MAKE) --no-print-directory starter-scores

starter-scores: ## how well it completes packages that it never saw
	nice -n 19 $(BIN)/dg-lsp bench infill --model $(STARTER)/run/model $(addprefix $(STARTER_SITE)/,$(HELD_OUT))

$(STARTER)/corpus/texts.npz: $(STARTER)/packages/.ready $(RECIPE)/corpus.py
	$(QUIETLY) $(RECIPE)/corpus.py $(STARTER)/corpus --site $(STARTER_SITE)

$(STARTER)/packages/.ready: $(READY) $(RECIPE)/packages.txt $(RECIPE)/held_out.txt
	@echo 'Installing packages to learn from and to be judged by into $(STARTER)/packages.'
	@$(PYTHON) -m venv $(STARTER)/packages
	@$(STARTER)/packages/bin/pip install --quiet --no-deps -r $(RECIPE)/packages.txt -r $(RECIPE)/held_out.txt
	@touch $@
