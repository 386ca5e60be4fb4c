# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pandas
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfVectorizer

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class FindTopics(Node):
    """Finds what texts are about: topics as lists of words, and the topic of each text."""

    table = Receiver("dataframe")
    column = Field("text", control=Text())
    topics = Field(4, control=Slider(2, 30))
    seed = Field(7)
    words = Transmitter("dataframe")
    labelled = Transmitter("dataframe")

    def run(self):
        vectoriser = TfidfVectorizer(stop_words="english", max_features=3000)
        found = vectoriser.fit_transform(self.table[self.column].astype(str))
        model = NMF(self.topics, random_state=self.seed, max_iter=500)
        topic = model.fit_transform(found).argmax(axis=1)
        names = vectoriser.get_feature_names_out()
        best = [", ".join(names[part.argsort()[::-1][:6]]) for part in model.components_]
        words = pandas.DataFrame({"topic": range(self.topics), "words": best})
        words["texts"] = [int((topic == at).sum()) for at in range(self.topics)]
        self.show(words)
        self.words.send(words)
        self.labelled.send(self.table.assign(topic=topic))
