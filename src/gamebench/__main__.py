"""``python -m gamebench``."""

from gamebench.cli.main import main

if __name__ == "__main__":
    main()
