"""The parts of a multiverse's page, one file each."""
