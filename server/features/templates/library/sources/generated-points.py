# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pandas
from sklearn import datasets

from miranda import Field, Node, Select, Slider, Transmitter


class GeneratedPoints(Node):
    """Makes points in the plane that belong to groups, to try classifiers and clustering with."""

    shape = Field("moons", control=Select("blobs", "moons", "circles"))
    points = Field(300, control=Slider(20, 5000))
    noise = Field(0.2, control=Slider(0.0, 1.0, 0.05))
    seed = Field(7)
    table = Transmitter("dataframe")

    def run(self):
        if self.shape == "blobs":
            spread = 0.4 + 2 * self.noise
            places, group = datasets.make_blobs(self.points, centers=4, cluster_std=spread, random_state=self.seed)
        elif self.shape == "moons":
            places, group = datasets.make_moons(self.points, noise=self.noise, random_state=self.seed)
        else:
            places, group = datasets.make_circles(self.points, noise=self.noise / 2, factor=0.5, random_state=self.seed)
        names = ["red", "blue", "green", "yellow"]
        table = pandas.DataFrame(places, columns=["x", "y"])
        self.table.send(table.assign(group=[names[at] for at in group]))
