# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn import datasets

from miranda import Field, Node, Select, Transmitter

LOADERS = {
    "iris flowers": datasets.load_iris,
    "wines": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "diabetes": datasets.load_diabetes,
    "digits": datasets.load_digits,
}


class SampleData(Node):
    """Loads a well-known data set that comes with scikit-learn. The last column is what models learn to predict."""

    data_set = Field("iris flowers", control=Select("iris flowers", "wines", "breast cancer", "diabetes", "digits"))
    table = Transmitter("dataframe")

    def run(self):
        found = LOADERS[self.data_set](as_frame=True)
        table = found.frame.rename(columns=lambda name: name.removesuffix(" (cm)"))
        names = getattr(found, "target_names", None)
        if self.data_set in ("iris flowers", "wines", "breast cancer"):
            table["target"] = [str(names[at]) for at in table["target"]]
        self.log.info("%d rows, %d columns", *table.shape)
        self.table.send(table)
