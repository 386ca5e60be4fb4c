# /// script
# dependencies = ["pillow>=10.4"]
# ///
from PIL import ImageEnhance, ImageFilter, ImageOps

from miranda import Field, Node, Receiver, Select, Slider, Transmitter


class FilterImages(Node):
    """Changes pictures: grey, blurred, sharper, edges, more contrast, brighter, turned around."""

    images = Receiver("list")
    filter = Field(
        "edges", control=Select("grey", "blur", "sharpen", "edges", "contrast", "brightness", "mirror", "invert")
    )
    strength = Field(1.5, control=Slider(0.1, 10.0, 0.1))
    changed = Transmitter("list")

    def run(self):
        change = {
            "grey": lambda image: ImageOps.grayscale(image).convert("RGB"),
            "blur": lambda image: image.filter(ImageFilter.GaussianBlur(self.strength)),
            "sharpen": lambda image: image.filter(ImageFilter.UnsharpMask(2, int(100 * self.strength))),
            "edges": lambda image: ImageOps.grayscale(image).filter(ImageFilter.FIND_EDGES).convert("RGB"),
            "contrast": lambda image: ImageEnhance.Contrast(image).enhance(self.strength),
            "brightness": lambda image: ImageEnhance.Brightness(image).enhance(self.strength),
            "mirror": ImageOps.mirror,
            "invert": ImageOps.invert,
        }[self.filter]
        self.changed.send([change(image.convert("RGB")) for image in self.images])
