# /// script
# dependencies = ["pandas>=2.2,<4", "pillow>=10.4"]
# ///
import numpy
import pandas

from miranda import Field, Node, Receiver, Select, Slider, Transmitter


class ImageFeatures(Node):
    """Makes a table of pictures that models can learn from: their pixels, or how often each colour occurs."""

    images = Receiver("list")
    what = Field("pixels", control=Select("pixels", "colours"))
    side = Field(16, control=Slider(4, 64), shown_when={"what": [{"value": "pixels"}]})
    bins = Field(8, control=Slider(2, 64), shown_when={"what": [{"value": "colours"}]})
    table = Transmitter("dataframe")

    def run(self):
        if self.what == "pixels":
            rows = [numpy.asarray(image.convert("L").resize((self.side, self.side))).ravel() for image in self.images]
            names = [f"pixel_{at}" for at in range(self.side**2)]
        else:
            rows = [self.colours(numpy.asarray(image.convert("RGB"))) for image in self.images]
            names = [f"{colour}_{at}" for colour in ("red", "green", "blue") for at in range(self.bins)]
        self.table.send(pandas.DataFrame(rows, columns=names))

    def colours(self, pixels):
        parts = [numpy.histogram(pixels[..., at], bins=self.bins, range=(0, 256))[0] for at in range(3)]
        return (numpy.concatenate(parts) / pixels[..., 0].size).round(4)
