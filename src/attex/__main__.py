"""`python -m attex` is `attex`."""

from attex.cli import main

# Workers import this module too, and must not run the command again.
if __name__ == "__main__":
    main()
