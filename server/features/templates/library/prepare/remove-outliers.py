# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Slider, Transmitter


class RemoveOutliers(Node):
    """Removes rows with a number far outside the middle half of its column."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    reach = Field(1.5, control=Slider(0.5, 5.0, 0.1))
    kept = Transmitter("dataframe")
    outliers = Transmitter("dataframe")

    def run(self):
        numbers = self.table[self.columns] if self.columns else self.table.select_dtypes("number")
        low, high = numbers.quantile(0.25), numbers.quantile(0.75)
        room = (high - low) * self.reach
        is_outside = ((numbers < low - room) | (numbers > high + room)).any(axis=1)
        self.log.info("%d of %d rows are outliers", int(is_outside.sum()), len(self.table))
        self.kept.send(self.table[~is_outside])
        self.outliers.send(self.table[is_outside])
