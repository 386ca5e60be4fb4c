# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, plot_tree

from miranda import Field, Node, Receiver, Select, Slider, Text, Transmitter


class TreeModel(Node):
    """Learns a tree of yes-or-no questions and draws it."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    predict = Field("find out", control=Select("find out", "classes", "numbers"))
    depth = Field(3, control=Slider(1, 20))
    smallest_leaf = Field(2, control=Slider(1, 100))
    seed = Field(7)
    model = Transmitter("model")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        kind = DecisionTreeRegressor if predicts_numbers(self.predict, truth) else DecisionTreeClassifier
        tree = kind(max_depth=self.depth, min_samples_leaf=self.smallest_leaf, random_state=self.seed)
        model = make_pipeline(prepared(), tree).fit(features, truth)
        model.target_name = truth.name
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        # Without a canvas of its own it cannot measure its texts.
        FigureCanvasAgg(figure)
        names = [str(name) for name in getattr(tree, "classes_", [])] or None
        plot_tree(
            tree,
            max_depth=3,
            feature_names=list(model[0].get_feature_names_out()),
            class_names=names,
            filled=True,
            rounded=True,
            impurity=False,
            ax=figure.subplots(),
        )
        self.show(figure)
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
