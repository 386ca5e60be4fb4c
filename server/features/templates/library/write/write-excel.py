# /// script
# dependencies = ["pandas>=2.2,<4", "openpyxl>=3.1,<4"]
# ///
from miranda import Field, Node, Receiver, Text, Transmitter, storage


class WriteExcel(Node):
    """Writes a table to an Excel file in the workflow's storage."""

    table = Receiver("dataframe")
    path = Field("result.xlsx", control=Text(placeholder="folder/file.xlsx"))
    sheet = Field("Result", control=Text())
    written = Transmitter("string")
    cache = False

    def run(self):
        file = place_of(self.path)
        self.table.to_excel(file, sheet_name=self.sheet[:31], index=False, engine="openpyxl")
        self.log.info("%d rows to %s", len(self.table), self.path)
        self.written.send(str(file))


def place_of(path):
    folder = storage().resolve()
    file = (folder / path).resolve()
    if not path or not file.is_relative_to(folder):
        raise ValueError("The path must stay inside the storage.")
    file.parent.mkdir(parents=True, exist_ok=True)
    return file
