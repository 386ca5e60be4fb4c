# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pandas
from sklearn.preprocessing import PolynomialFeatures

from miranda import Field, Json, Node, Receiver, Slider, Toggle, Transmitter


class PolynomialColumns(Node):
    """Adds squares and products of number columns, so that a linear model can bend."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    degree = Field(2, control=Slider(2, 4))
    products_only = Field(False, control=Toggle())
    widened = Transmitter("dataframe")

    def run(self):
        columns = self.columns or list(self.table.select_dtypes("number").columns)[:6]
        maker = PolynomialFeatures(self.degree, interaction_only=self.products_only, include_bias=False)
        made = maker.set_output(transform="pandas").fit_transform(self.table[columns])
        rest = self.table.drop(columns=columns)
        # What a model predicts is the last column, and stays it.
        self.widened.send(pandas.concat([made, rest], axis=1))
