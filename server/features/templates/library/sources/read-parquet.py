# /// script
# dependencies = ["pandas>=2.2,<4", "pyarrow>=16"]
# ///
import pandas

from miranda import Field, File, Json, Node, Text, Transmitter, storage


class ReadParquet(Node):
    """Reads a Parquet file, all of its columns or only those that you name."""

    file = Field(control=File(accept=".parquet"))
    address = Field("", control=Text(placeholder="https://… or folder/file.parquet"))
    columns = Field([], control=Json())
    table = Transmitter("dataframe")
    cache = False

    def run(self):
        table = pandas.read_parquet(place_of(self.file, self.address), columns=self.columns or None)
        self.log.info("%d rows, %d columns", *table.shape)
        self.table.send(table)


def place_of(file, address):
    if file is not None:
        return file
    if address.startswith(("http://", "https://")):
        return address
    folder = storage().resolve()
    path = (folder / address).resolve()
    if not address or not path.is_relative_to(folder):
        raise ValueError("Choose a file, or give an address or a path in the storage.")
    return path
