"""What one node sets in the process does not reach the next, and a node's run is repeatable."""
