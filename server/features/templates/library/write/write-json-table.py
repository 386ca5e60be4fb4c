# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Node, Receiver, Text, Toggle, Transmitter, storage


class WriteJsonTable(Node):
    """Writes a table as JSON records to a file in the workflow's storage."""

    table = Receiver("dataframe")
    path = Field("result.json", control=Text(placeholder="folder/file.json"))
    one_record_per_line = Field(False, control=Toggle())
    written = Transmitter("string")
    cache = False

    def run(self):
        file = place_of(self.path)
        self.table.to_json(
            file,
            orient="records",
            date_format="iso",
            lines=self.one_record_per_line,
            indent=None if self.one_record_per_line else 2,
        )
        self.log.info("%d rows to %s", len(self.table), self.path)
        self.written.send(str(file))


def place_of(path):
    folder = storage().resolve()
    file = (folder / path).resolve()
    if not path or not file.is_relative_to(folder):
        raise ValueError("The path must stay inside the storage.")
    file.parent.mkdir(parents=True, exist_ok=True)
    return file
