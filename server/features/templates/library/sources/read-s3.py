# /// script
# dependencies = ["pandas>=2.2,<4", "pyarrow>=16", "boto3>=1.35,<2"]
# ///
import io

import boto3
import pandas
from botocore import UNSIGNED
from botocore.config import Config

from miranda import Field, Node, Secret, Text, Transmitter

READERS = {".csv": pandas.read_csv, ".parquet": pandas.read_parquet, ".json": pandas.read_json}


class ReadS3(Node):
    """Reads a CSV, Parquet or JSON object from an S3 bucket. Without keys the bucket is read anonymously."""

    bucket = Field("", control=Text(placeholder="my-bucket"))
    key = Field("data.csv", control=Text(placeholder="folder/data.csv"))
    region = Field("us-east-1", control=Text())
    endpoint = Field("", control=Text(placeholder="only if it is not Amazon's"))
    access_key = Field("", control=Secret())
    secret_key = Field("", control=Secret())
    table = Transmitter("dataframe")
    cache = False

    def run(self):
        ending = "." + self.key.rpartition(".")[2].lower()
        if ending not in READERS:
            raise ValueError("The key must end in .csv, .parquet or .json.")
        client = boto3.client(
            "s3",
            region_name=self.region,
            endpoint_url=self.endpoint or None,
            aws_access_key_id=self.access_key or None,
            aws_secret_access_key=self.secret_key or None,
            config=Config(signature_version=None if self.access_key else UNSIGNED, retries={"max_attempts": 3}),
        )
        content = client.get_object(Bucket=self.bucket, Key=self.key)["Body"].read()
        table = READERS[ending](io.BytesIO(content))
        self.log.info("%d rows, %d columns", *table.shape)
        self.table.send(table)
