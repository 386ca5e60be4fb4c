# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure
from sklearn.feature_extraction.text import CountVectorizer

from miranda import Field, Node, Receiver, Slider, Text, Toggle, Transmitter


class WordCounts(Node):
    """Counts the most frequent words of a column of texts and draws them."""

    table = Receiver("dataframe")
    column = Field("text", control=Text())
    most = Field(15, control=Slider(3, 100))
    leave_out_common = Field(True, control=Toggle())
    counts = Transmitter("dataframe")

    def run(self):
        counter = CountVectorizer(stop_words="english" if self.leave_out_common else None)
        found = counter.fit_transform(self.table[self.column].astype(str)).sum(axis=0).A1
        counts = pandas.DataFrame({"word": counter.get_feature_names_out(), "count": found})
        counts = counts.sort_values("count", ascending=False, ignore_index=True).head(self.most)
        figure = Figure(figsize=(6, 1 + 0.26 * len(counts)), layout="constrained")
        axes = figure.subplots()
        axes.barh(counts["word"][::-1], counts["count"][::-1], color="#16a34a")
        axes.set(xlabel="how often")
        self.show(figure)
        self.counts.send(counts)
