"""One module a suite, found by its name; dg_bench.runner.Suite says what it holds. Importing one brings no torch."""
