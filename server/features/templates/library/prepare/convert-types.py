# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Field, Json, Node, Receiver, Select, Transmitter


class ConvertTypes(Node):
    """Reads columns as numbers, dates, text or categories. What cannot be read becomes an empty cell."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    to = Field("number", control=Select("number", "date", "text", "category"))
    converted = Transmitter("dataframe")

    def run(self):
        table = self.table.copy()
        for name in self.columns or table.columns:
            before = int(table[name].isna().sum())
            if self.to == "number":
                table[name] = pandas.to_numeric(table[name], errors="coerce")
            elif self.to == "date":
                table[name] = pandas.to_datetime(table[name], errors="coerce")
            else:
                table[name] = table[name].astype(str if self.to == "text" else "category")
            lost = int(table[name].isna().sum()) - before
            if lost:
                self.log.warning("%s: %d cells could not be read", name, lost)
        self.converted.send(table)
