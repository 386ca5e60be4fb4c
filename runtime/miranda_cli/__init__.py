"""The command `miranda`: workflows as files on a laptop and in CI. Standard library only."""
