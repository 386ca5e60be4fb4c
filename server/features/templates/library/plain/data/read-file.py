from miranda import Field, Node, Text, Transmitter, storage


class ReadFile(Node):
    """Reads a text file from the workflow's storage."""

    path = Field("data.csv", control=Text(placeholder="folder/file.csv"))
    text = Transmitter("string")
    cache = False

    def run(self):
        folder = storage().resolve()
        file = (folder / self.path).resolve()
        if not file.is_relative_to(folder):
            raise ValueError("The path must stay inside the storage.")
        self.text.send(file.read_text(encoding="utf-8"))
