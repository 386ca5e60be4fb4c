# /// script
# dependencies = ["pandas>=2.2,<4", "pillow>=10.4"]
# ///
import pandas
from PIL import Image

from miranda import Field, Node, Number, Text, Transmitter, progress, storage

ENDINGS = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"}


class ImageFolder(Node):
    """Reads the pictures of a folder in the storage. The name of a picture's own folder is its label."""

    folder = Field("images", control=Text())
    most = Field(500, control=Number(min=1, max=100000, step=1))
    images = Transmitter("list")
    table = Transmitter("dataframe")
    cache = False

    def run(self):
        top = storage().resolve()
        folder = (top / self.folder).resolve()
        if not folder.is_relative_to(top):
            raise ValueError("The folder must be inside the storage.")
        files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
        if not files:
            raise ValueError(f"There are no pictures in the folder {self.folder}.")
        images, rows = [], []
        for at, path in enumerate(files[: self.most], 1):
            with Image.open(path) as image:
                images.append(image.convert("RGB"))
            width, height = images[-1].size
            label = path.parent.name if path.parent != folder else ""
            rows.append({"file": str(path.relative_to(folder)), "width": width, "height": height, "label": label})
            progress(at, min(len(files), self.most), "pictures")
        self.images.send(images)
        self.table.send(pandas.DataFrame(rows))
