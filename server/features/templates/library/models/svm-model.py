# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

from miranda import Field, Node, Number, Receiver, Select, Text, Transmitter


class SvmModel(Node):
    """Support vector machine: finds the widest border between classes, bent as its kernel allows. For small tables."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    predict = Field("find out", control=Select("find out", "classes", "numbers"))
    kernel = Field("rbf", control=Select("rbf", "linear", "poly"))
    strictness = Field(1.0, control=Number(min=0.001))
    model = Transmitter("model")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        kind = SVR if predicts_numbers(self.predict, truth) else SVC
        model = make_pipeline(prepared(), kind(kernel=self.kernel, C=self.strictness)).fit(features, truth)
        model.target_name = truth.name
        self.model.send(model)


def predicts_numbers(wanted, truth):
    if wanted != "find out":
        return wanted == "numbers"
    return truth.dtype.kind in "iuf" and truth.nunique() > 20


def learn_from(table, target):
    target = target or table.columns[-1]
    if target not in table.columns:
        raise ValueError(f"The table has no column {target!r} to predict.")
    known = table.dropna(subset=[target])
    return known.drop(columns=target).select_dtypes(exclude="datetime"), known[target]


def prepared():
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include=["number", "bool"])),
        (words, make_column_selector(dtype_exclude=["number", "bool"])),
        verbose_feature_names_out=False,
    )
