# /// script
# dependencies = ["scikit-learn>=1.5,<2", "pillow>=10.4"]
# ///
from PIL import Image
from sklearn import datasets

from miranda import Field, Node, Select, Slider, Transmitter


class SampleImages(Node):
    """Pictures that come with scikit-learn: two photographs, or handwritten digits."""

    which = Field("photographs", control=Select("photographs", "digits"))
    digits = Field(24, control=Slider(1, 1797), shown_when={"which": [{"value": "digits"}]})
    images = Transmitter("list")

    def run(self):
        if self.which == "photographs":
            self.images.send([Image.fromarray(image) for image in datasets.load_sample_images().images])
            return
        found = datasets.load_digits().images[: self.digits]
        self.images.send([Image.fromarray((255 - image * 15.9).astype("uint8")).convert("RGB") for image in found])
