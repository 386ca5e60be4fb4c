# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pandas
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class BestFeatures(Node):
    """Keeps the columns that say most about the target, and shows how much each says."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    most = Field(5, control=Slider(1, 50))
    seed = Field(7)
    chosen = Transmitter("dataframe")
    scores = Transmitter("dataframe")

    def run(self):
        target = self.target or self.table.columns[-1]
        rows = self.table.dropna()
        numbers = rows.drop(columns=target).select_dtypes(["number", "bool"])
        is_number = rows[target].dtype.kind in "if" and rows[target].nunique() > 20
        measure = mutual_info_regression if is_number else mutual_info_classif
        found = measure(numbers, rows[target], random_state=self.seed)
        scores = pandas.DataFrame({"column": numbers.columns, "score": found.round(4)})
        scores = scores.sort_values("score", ascending=False, ignore_index=True)
        self.show(scores)
        self.scores.send(scores)
        self.chosen.send(self.table[[*scores["column"].head(self.most), target]])
