"""What keeps the repository: nothing here is part of the package."""
