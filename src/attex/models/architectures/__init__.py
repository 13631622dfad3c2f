"""One file per kind of model; a new one is found by its `@MODELS.register`."""
