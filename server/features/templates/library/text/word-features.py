# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pandas
from sklearn.feature_extraction.text import TfidfVectorizer

from miranda import Field, Node, Receiver, Slider, Text, Toggle, Transmitter


class WordFeatures(Node):
    """Turns texts into columns of numbers: how typical each word is of a text (TF-IDF)."""

    table = Receiver("dataframe")
    column = Field("text", control=Text())
    most_words = Field(50, control=Slider(5, 1000))
    leave_out_common = Field(True, control=Toggle())
    features = Transmitter("dataframe")

    def run(self):
        common = "english" if self.leave_out_common else None
        vectoriser = TfidfVectorizer(max_features=self.most_words, stop_words=common)
        found = vectoriser.fit_transform(self.table[self.column].astype(str)).toarray().round(4)
        words = [f"word_{word}" for word in vectoriser.get_feature_names_out()]
        made = pandas.DataFrame(found, columns=words, index=self.table.index)
        # What a model predicts is the last column, and stays it.
        self.features.send(made.join(self.table.drop(columns=self.column)))
