import math
import random

from miranda import Field, Json, Node, Receiver, Slider, Transmitter


class KMeans(Node):
    """Finds groups of similar rows and adds the column cluster."""

    rows = Receiver("table")
    features = Field([], control=Json())
    clusters = Field(3, control=Slider(2, 20))
    rounds = Field(50, control=Slider(1, 300))
    seed = Field(42)
    clustered = Transmitter("table")
    centres = Transmitter("table")

    def run(self):
        features = self.features or [n for n, v in self.rows[0].items() if isinstance(v, (int, float))]
        points = [[float(row[name]) for name in features] for row in self.rows]
        centres = self.first_centres(points)
        nearest = []
        for _round in range(self.rounds):
            before = nearest
            nearest = [min(range(len(centres)), key=lambda at: math.dist(point, centres[at])) for point in points]
            if nearest == before:
                break
            for at in range(len(centres)):
                members = [point for point, cluster in zip(points, nearest) if cluster == at]
                if members:
                    centres[at] = [sum(column) / len(members) for column in zip(*members)]
        self.clustered.send([{**row, "cluster": at} for row, at in zip(self.rows, nearest)])
        self.centres.send(
            [
                {"cluster": at, "rows": nearest.count(at), **dict(zip(features, centre))}
                for at, centre in enumerate(centres)
            ]
        )

    def first_centres(self, points):
        """Far from each other: each next one is drawn in proportion to its squared distance."""
        chance = random.Random(self.seed)
        centres = [chance.choice(points)]
        while len(centres) < min(self.clusters, len(points)):
            weights = [min(math.dist(point, centre) for centre in centres) ** 2 for point in points]
            if not any(weights):
                break
            centres.append(chance.choices(points, weights)[0])
        return [list(centre) for centre in centres]
