# Measures a tracking server through MLflow's own client. Prints one JSON object: seconds, the median of several tries.
import json
import os
import statistics
import sys
import time

import mlflow
from mlflow.entities import Metric

tries = 5
client = mlflow.MlflowClient()
run = client.create_run("0").info.run_id


def measure(action, count=tries):
    times = []
    for number in range(count):
        began = time.perf_counter()
        action(number)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def log_batch(number):
    client.log_batch(run, [Metric(f"m{at % 10}", at / 7, 1_000 + number, number * 100 + at // 10) for at in range(1_000)])


def search(_):
    found = client.search_runs(
        [sys.argv[1]], "metrics.score > 0.5 and params.kind = 'a'", order_by=["metrics.score DESC"], max_results=1_000
    )
    assert len(found) == 1_000, len(found)
    assert found[0].data.metrics["score"] > found[-1].data.metrics["score"] > 0.5


def upload(number):
    path = f"part-{number}.bin"
    with open(path, "wb") as file:
        file.write(os.urandom(100_000_000))
    began = time.perf_counter()
    client.log_artifact(run, path)
    uploads.append(time.perf_counter() - began)
    os.unlink(path)


uploads = []
log_batch(99)
said = {"log_batch": measure(log_batch, 20), "search": measure(search)}
for number in range(3):
    upload(number)
said["upload"] = statistics.median(uploads)
print(json.dumps(said))
