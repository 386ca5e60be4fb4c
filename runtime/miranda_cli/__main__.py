"""`python -m miranda_cli` is the command `miranda`."""

from .main import main

if __name__ == "__main__":
    main()
