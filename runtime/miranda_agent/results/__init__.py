"""Results of nodes on their way to the server and back."""
