"""``python -m gamebench``."""

from gamebench.cli.entry import main

if __name__ == "__main__":
    main()
