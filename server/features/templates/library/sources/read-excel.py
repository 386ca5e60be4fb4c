# /// script
# dependencies = ["pandas>=2.2,<4", "openpyxl>=3.1,<4"]
# ///
import pandas

from miranda import Field, File, Node, Number, Text, Transmitter, storage


class ReadExcel(Node):
    """Reads one sheet of an Excel file. Without a name it is the first sheet."""

    file = Field(control=File(accept=".xlsx"))
    address = Field("", control=Text(placeholder="https://… or folder/file.xlsx"))
    sheet = Field("", control=Text(placeholder="the first sheet"))
    skip_rows = Field(0, control=Number(min=0, step=1))
    table = Transmitter("dataframe")
    cache = False

    def run(self):
        place = place_of(self.file, self.address)
        table = pandas.read_excel(place, sheet_name=self.sheet or 0, skiprows=self.skip_rows, engine="openpyxl")
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
