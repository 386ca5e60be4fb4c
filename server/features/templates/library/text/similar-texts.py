# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.feature_extraction.text import TfidfVectorizer

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class SimilarTexts(Node):
    """Finds the texts that are most like a question."""

    table = Receiver("dataframe")
    column = Field("text", control=Text())
    question = Field("a quiet lamp with a good switch", control=Text(multiline=True))
    most = Field(5, control=Slider(1, 50))
    found = Transmitter("dataframe")

    def run(self):
        vectoriser = TfidfVectorizer(stop_words="english").fit(self.table[self.column].astype(str))
        texts = vectoriser.transform(self.table[self.column].astype(str))
        alike = (texts @ vectoriser.transform([self.question]).T).toarray().ravel()
        found = self.table.assign(similarity=alike.round(3)).nlargest(self.most, "similarity")
        self.show(found)
        self.found.send(found)
