# /// script
# dependencies = ["pandas>=2.2,<4", "openpyxl>=3.1,<4"]
# ///
import io

from miranda import Field, Node, OutputFile, Receiver, Select, Text


class DownloadTable(Node):
    """Offers a table as a file to download, as CSV, Excel or JSON."""

    table = Receiver("dataframe")
    name = Field("table", control=Text())
    kind = Field("csv", control=Select("csv", "xlsx", "json"))

    def run(self):
        content = io.BytesIO()
        if self.kind == "csv":
            self.table.to_csv(content, index=False)
        elif self.kind == "xlsx":
            self.table.to_excel(content, index=False, engine="openpyxl")
        else:
            self.table.to_json(content, orient="records", date_format="iso", indent=2)
        self.show(OutputFile(f"{self.name}.{self.kind}", content.getvalue()))
