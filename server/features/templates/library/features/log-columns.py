# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import numpy

from miranda import Field, Json, Node, Receiver, Toggle, Transmitter


class LogColumns(Node):
    """Takes the logarithm of skewed columns. Zero stays zero; negative numbers keep their sign."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    back = Field(False, control=Toggle())
    changed = Transmitter("dataframe")

    def run(self):
        columns = self.columns or list(self.table.select_dtypes("number").columns)
        change = numpy.expm1 if self.back else numpy.log1p
        changed = {name: numpy.sign(self.table[name]) * change(self.table[name].abs()) for name in columns}
        self.changed.send(self.table.assign(**changed))
