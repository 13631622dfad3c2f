"""One file per dataset; a new one is found by its `@READERS.register`."""
