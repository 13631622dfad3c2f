"""A static site of all that an output folder holds: runs, comparisons, studies, and the ledger."""
