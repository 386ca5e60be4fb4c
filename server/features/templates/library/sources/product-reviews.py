# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import random

import pandas

from miranda import Field, Node, Slider, Transmitter

GOOD = ["great", "excellent", "reliable", "beautiful", "fast", "quiet", "lovely", "perfect"]
BAD = ["broken", "slow", "noisy", "terrible", "useless", "ugly", "late", "cheap"]
THINGS = {
    "kettle": ["boils water", "handle", "lid"],
    "headphones": ["sound", "battery", "cable"],
    "backpack": ["zip", "straps", "pockets"],
    "lamp": ["light", "switch", "shade"],
}
SHAPES = [
    "The {part} of this {thing} is {word}, and delivery was {other}.",
    "A {word} {thing}. I use it every day and the {part} is {other}.",
    "{word}, simply {word}! My {thing} has a {other} {part}.",
    "I bought the {thing} for my sister. She says it is {word}; the {part} feels {other}.",
]


class ProductReviews(Node):
    """Makes up short reviews of four products, each with the product and whether the review is good or bad."""

    reviews = Field(400, control=Slider(20, 5000))
    seed = Field(7)
    table = Transmitter("dataframe")

    def run(self):
        chance = random.Random(self.seed)
        rows = []
        for _ in range(self.reviews):
            opinion = chance.choice(["good", "bad"])
            words, others = (GOOD, BAD) if opinion == "good" else (BAD, GOOD)
            thing = chance.choice(list(THINGS))
            # One word in eight is of the other kind: real people are not of one mind either.
            other = chance.choice(others if chance.random() < 0.125 else words)
            text = chance.choice(SHAPES).format(
                thing=thing, part=chance.choice(THINGS[thing]), word=chance.choice(words), other=other
            )
            rows.append({"text": text[0].upper() + text[1:], "product": thing, "opinion": opinion})
        self.table.send(pandas.DataFrame(rows))
