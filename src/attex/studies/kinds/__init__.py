"""The kinds of studies, one file each."""
