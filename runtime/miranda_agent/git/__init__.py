"""Git commands: pulling and pushing the code of nodes, in a process beside the worker."""
