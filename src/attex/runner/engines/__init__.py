"""One file per way of having tasks done; a new one is found by its `@ENGINES.register`."""
