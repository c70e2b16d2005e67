"""One module a suite: TITLE, add_options(parser), verify(options) -> why not, or None, measure(options) -> rows."""
