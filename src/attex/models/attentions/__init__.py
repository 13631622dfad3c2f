"""One file per form of energy; a new one is found by its `@ATTENTIONS.register`."""
