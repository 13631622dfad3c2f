"""One file per encoder; a new one is found by its `@ENCODERS.register`."""
