# /// script
# dependencies = ["pillow>=10.4"]
# ///
from miranda import Field, Node, Receiver, Select, Slider, Transmitter


class ResizeImages(Node):
    """Brings pictures to one size: cut to fit, with a border, or stretched."""

    images = Receiver("list")
    width = Field(128, control=Slider(8, 2048))
    height = Field(128, control=Slider(8, 2048))
    how = Field("cut", control=Select("cut", "border", "stretch"))
    resized = Transmitter("list")

    def run(self):
        from PIL import ImageOps

        size = (self.width, self.height)
        if self.how == "cut":
            self.resized.send([ImageOps.fit(image, size) for image in self.images])
        elif self.how == "border":
            self.resized.send([ImageOps.pad(image, size, color="white") for image in self.images])
        else:
            self.resized.send([image.resize(size) for image in self.images])
