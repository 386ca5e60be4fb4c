"""What nodes sent, kept for later sessions of the project."""
