"""`python -m attex` is `attex`."""

from attex.cli import main

main()
