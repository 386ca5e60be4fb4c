# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Field, Node, Receiver, Select, Slider, Text, Transmitter


class BinColumn(Node):
    """Puts the numbers of a column into classes, equally wide or equally full."""

    table = Receiver("dataframe")
    column = Field("", control=Text(placeholder="the first number"))
    classes = Field(5, control=Slider(2, 50))
    how = Field("equally full", control=Select("equally full", "equally wide"))
    binned = Transmitter("dataframe")

    def run(self):
        column = self.column or self.table.select_dtypes("number").columns[0]
        cut = pandas.qcut if self.how == "equally full" else pandas.cut
        extra = {"duplicates": "drop"}
        classes = cut(self.table[column], self.classes, precision=1, **extra)
        self.binned.send(self.table.assign(**{f"{column}_class": classes.astype(str)}))
