# /// script
# dependencies = ["pillow>=10.4"]
# ///
from PIL import Image, ImageOps

from miranda import Field, Node, Receiver, Slider, Transmitter


class ShowImages(Node):
    """Shows pictures side by side on the node and hands them on."""

    images = Receiver("list")
    most = Field(24, control=Slider(1, 200))
    columns = Field(6, control=Slider(1, 20))
    side = Field(120, control=Slider(16, 512))
    same = Transmitter("list")

    def run(self):
        shown = self.images[: self.most]
        columns = max(1, min(self.columns, len(shown)))
        rows = -(-len(shown) // columns)
        gap = 4
        sheet = Image.new("RGB", (columns * (self.side + gap) - gap, max(1, rows * (self.side + gap) - gap)), "white")
        for at, image in enumerate(shown):
            small = ImageOps.contain(image.convert("RGB"), (self.side, self.side))
            down, across = divmod(at, columns)
            sheet.paste(small, (across * (self.side + gap), down * (self.side + gap)))
        self.show(sheet)
        self.same.send(self.images)
