"""The parts of studies' pages, one file each."""
