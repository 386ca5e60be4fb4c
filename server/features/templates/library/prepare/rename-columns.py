# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Toggle, Transmitter


class RenameColumns(Node):
    """Gives columns other names, and can tidy all names: lower case, with _ for everything else."""

    table = Receiver("dataframe")
    names = Field({}, control=Json())
    tidy = Field(True, control=Toggle())
    renamed = Transmitter("dataframe")

    def run(self):
        table = self.table.rename(columns=self.names)
        if self.tidy:
            tidied = table.columns.astype(str).str.lower().str.replace(r"[^0-9a-z]+", "_", regex=True).str.strip("_")
            table.columns = tidied
        self.renamed.send(table)
