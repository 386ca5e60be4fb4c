"""Everything node code prints, logs, shows or reports as progress."""
