# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import json
import urllib.request

import pandas

from miranda import Field, Node, Number, Secret, Text, Transmitter


class HttpJson(Node):
    """Fetches JSON from a web service and makes a table of its records."""

    address = Field("https://example.org/data.json", control=Text(placeholder="https://…"))
    records_at = Field("", control=Text(placeholder="data.items"))
    bearer = Field("", control=Secret())
    timeout_seconds = Field(30, control=Number(min=1, max=600))
    table = Transmitter("dataframe")
    cache = False

    def run(self):
        if not self.address.startswith(("http://", "https://")):
            raise ValueError("The address must begin with http:// or https://.")
        request = urllib.request.Request(self.address, headers={"Accept": "application/json"})
        if self.bearer:
            request.add_header("Authorization", f"Bearer {self.bearer}")
        with urllib.request.urlopen(request, timeout=self.timeout_seconds) as answer:
            records = json.load(answer)
        for part in filter(None, self.records_at.split(".")):
            records = records[part]
        table = pandas.json_normalize(records)
        self.log.info("%d rows, %d columns", *table.shape)
        self.table.send(table)
