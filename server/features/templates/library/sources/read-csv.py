# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Field, File, Node, Select, Text, Transmitter, storage


class ReadCsv(Node):
    """Reads a CSV file: one that you choose, an address on the web, or a path in the workflow's storage."""

    file = Field(control=File(accept=".csv,.tsv,.txt"))
    address = Field("", control=Text(placeholder="https://… or folder/file.csv"))
    separator = Field("find out", control=Select("find out", ",", ";", "tab", "|"))
    table = Transmitter("dataframe")
    cache = False

    def run(self):
        separator = {"find out": None, "tab": "\t"}.get(self.separator, self.separator)
        # Only the slower reader can find out the separator.
        engine = "python" if separator is None else "c"
        table = pandas.read_csv(place_of(self.file, self.address), sep=separator, engine=engine)
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
