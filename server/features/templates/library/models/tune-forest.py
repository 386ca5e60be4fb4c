# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pandas
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from miranda import Field, Json, Node, Receiver, Slider, Text, Transmitter


class TuneForest(Node):
    """Tries a random forest with several settings by cross-validation and keeps the best."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    depths = Field([2, 5, 10], control=Json())
    trees = Field([30, 60], control=Json())
    parts = Field(3, control=Slider(2, 10))
    seed = Field(7)
    model = Transmitter("model")
    tried = Transmitter("dataframe")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        is_number = truth.dtype.kind in "iuf" and truth.nunique() > 20
        forest = RandomForestRegressor if is_number else RandomForestClassifier
        pipeline = make_pipeline(prepared(), forest(random_state=self.seed))
        step = pipeline.steps[-1][0]
        grid = {f"{step}__max_depth": self.depths, f"{step}__n_estimators": self.trees}
        search = GridSearchCV(pipeline, grid, cv=self.parts).fit(features, truth)
        tried = pandas.DataFrame(search.cv_results_["params"]).rename(columns=lambda name: name.split("__")[1])
        tried = tried.assign(score=search.cv_results_["mean_test_score"].round(4))
        tried = tried.sort_values("score", ascending=False, ignore_index=True)
        model = search.best_estimator_
        model.target_name = truth.name
        self.log.info("best: %s", tried.iloc[0].to_dict())
        self.show(tried)
        self.tried.send(tried)
        self.model.send(model)


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
