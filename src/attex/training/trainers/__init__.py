"""One file per way of training; a new one is found by its `@TRAINERS.register`."""
