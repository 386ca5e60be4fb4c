# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from miranda import Field, Json, Node, Receiver, Select, Transmitter

SCALERS = {"mean 0, deviation 1": StandardScaler, "from 0 to 1": MinMaxScaler, "by median": RobustScaler}


class ScaleColumns(Node):
    """Brings columns of numbers to the same scale, so that no unit counts more than another."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    how = Field("mean 0, deviation 1", control=Select("mean 0, deviation 1", "from 0 to 1", "by median"))
    scaled = Transmitter("dataframe")

    def run(self):
        columns = self.columns or list(self.table.select_dtypes("number").columns)
        scaled = SCALERS[self.how]().set_output(transform="pandas").fit_transform(self.table[columns])
        self.scaled.send(self.table.assign(**{name: scaled[name] for name in columns}))
