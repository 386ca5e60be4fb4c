"""The worker process: reads commands, runs them and answers node code's requests."""
