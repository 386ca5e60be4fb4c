"""What the nodes of a session ask for by PEP 723 is there before they run: resolved, installed and activated by uv."""
