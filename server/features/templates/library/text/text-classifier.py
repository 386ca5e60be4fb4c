# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class TextClassifier(Node):
    """Learns the class of a text from its words and pairs of words."""

    table = Receiver("dataframe")
    column = Field("text", control=Text())
    target = Field("", control=Text(placeholder="the last column"))
    most_words = Field(2000, control=Slider(50, 50000, 50))
    model = Transmitter("model")

    def run(self):
        target = self.target or self.table.columns[-1]
        known = self.table.dropna(subset=[self.column, target])
        words = TfidfVectorizer(ngram_range=(1, 2), max_features=self.most_words, sublinear_tf=True)
        prepared = make_column_transformer((words, self.column))
        model = make_pipeline(prepared, LogisticRegression(max_iter=1000)).fit(known[[self.column]], known[target])
        model.target_name = target
        self.model.send(model)
