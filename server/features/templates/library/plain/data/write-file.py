import json

from miranda import Field, Node, Receiver, Text, Toggle, Transmitter, storage


class WriteFile(Node):
    """Writes what it gets to a file in the workflow's storage: text as it is, everything else as JSON."""

    value = Receiver("any")
    path = Field("result.json", control=Text(placeholder="folder/file.json"))
    append = Field(False, control=Toggle())
    written = Transmitter("string")
    cache = False

    def run(self):
        folder = storage().resolve()
        file = (folder / self.path).resolve()
        if not file.is_relative_to(folder):
            raise ValueError("The path must stay inside the storage.")
        file.parent.mkdir(parents=True, exist_ok=True)
        text = self.value if isinstance(self.value, str) else json.dumps(self.value, indent=2, default=str)
        with file.open("a" if self.append else "w", encoding="utf-8") as target:
            target.write(text if text.endswith("\n") else text + "\n")
        self.log.info("%s: %d characters", self.path, len(text))
        self.written.send(str(file))
