"""One file per decoder; a new one is found by its `@DECODERS.register`."""
