# /// script
# dependencies = ["pandas>=2.2,<4", "pyarrow>=16"]
# ///
from miranda import Field, Node, Receiver, Text, Transmitter, storage


class WriteParquet(Node):
    """Writes a table to a Parquet file in the workflow's storage: small, fast, and it keeps the types."""

    table = Receiver("dataframe")
    path = Field("result.parquet", control=Text(placeholder="folder/file.parquet"))
    written = Transmitter("string")
    cache = False

    def run(self):
        file = place_of(self.path)
        self.table.to_parquet(file, index=False)
        self.log.info("%d rows to %s", len(self.table), self.path)
        self.written.send(str(file))


def place_of(path):
    folder = storage().resolve()
    file = (folder / path).resolve()
    if not path or not file.is_relative_to(folder):
        raise ValueError("The path must stay inside the storage.")
    file.parent.mkdir(parents=True, exist_ok=True)
    return file
