# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import json
from pathlib import Path

import pandas

from miranda import Field, File, Node, Text, Toggle, Transmitter, storage


class ReadJsonTable(Node):
    """Reads a JSON file with a list of records into a table. Nested values become columns such as address.city."""

    file = Field(control=File(accept=".json,.jsonl,.ndjson"))
    path_in_storage = Field("", control=Text(placeholder="folder/file.json"))
    one_record_per_line = Field(False, control=Toggle())
    records_at = Field("", control=Text(placeholder="data.items"))
    table = Transmitter("dataframe")
    cache = False

    def run(self):
        text = Path(place_of(self.file, self.path_in_storage)).read_text(encoding="utf-8")
        if self.one_record_per_line:
            records = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            records = json.loads(text)
        for part in filter(None, self.records_at.split(".")):
            records = records[part]
        self.table.send(pandas.json_normalize(records))


def place_of(file, address):
    if file is not None:
        return file
    folder = storage().resolve()
    path = (folder / address).resolve()
    if not address or not path.is_relative_to(folder):
        raise ValueError("Choose a file, or give a path in the storage.")
    return path
