# What clients do besides training, and what they are refused. Prints one JSON object.
import json
import math
import os
import tempfile

import mlflow
from mlflow.entities import Metric, Param, RunTag
from mlflow.exceptions import MlflowException

client = mlflow.MlflowClient()
said = {}


def refusal(action):
    try:
        action()
    except MlflowException as error:
        return [error.error_code, str(error)]
    return None


experiment = client.create_experiment("details", tags={"team": "tides"})
said["experiment"] = client.get_experiment(experiment).name
said["taken"] = refusal(lambda: client.create_experiment("details"))
said["no experiment"] = client.get_experiment_by_name("none")

run = client.create_run(experiment, run_name="first")
id = run.info.run_id
for step, value in enumerate([math.nan, math.inf, -math.inf, 0.5]):
    client.log_metric(id, "loss", value, timestamp=1_000 + step, step=step)
client.log_metric(id, "loss", 0.25, timestamp=2_000, step=3)
client.log_metric(id, "a/b c.d-e_f", 1)
said["history"] = [[str(one.value), one.step] for one in client.get_metric_history(id, "loss")]
client.log_metric(id, "not a number", math.nan)
client.log_metric(id, "too much", math.inf)
metrics = client.get_run(id).data.metrics
said["metrics"] = {name: str(value) for name, value in metrics.items()}

client.log_param(id, "rate", 0.1)
client.log_param(id, "rate", 0.1)
said["changed parameter"] = refusal(lambda: client.log_param(id, "rate", 0.2))
said["batch that changes one"] = refusal(
    lambda: client.log_batch(id, metrics=[Metric("from batch", 1, 1, 0)], params=[Param("rate", "0.3")])
)
said["long key"] = refusal(lambda: client.log_metric(id, "k" * 500, 1))
said["strange key"] = refusal(lambda: client.log_metric(id, "../x", 1))
client.log_batch(id, [Metric("many", one / 1_000, one, one) for one in range(1_000)], [], [RunTag("stage", "test")])
said["many"] = len(client.get_metric_history(id, "many"))
client.set_tag(id, "gone", "soon")
client.delete_tag(id, "gone")
said["tags"] = {key: value for key, value in client.get_run(id).data.tags.items() if not key.startswith("mlflow.")}

other = client.create_run(experiment, run_name="second").info.run_id
client.log_metric(other, "score", 0.9)
client.log_metric(id, "score", 0.1)
client.log_param(other, "rate", "0.5")


def found(filter="", **more):
    return [one.info.run_name for one in client.search_runs([experiment], filter, **more)]


said["search"] = {
    "metric": found("metrics.score > 0.5"),
    "parameter": found("params.rate = '0.1'"),
    "tag": found("tags.stage = 'test' and metrics.score < 1"),
    "attribute": found("attributes.run_name LIKE 'sec%'"),
    "status": found("attributes.status = 'RUNNING'", order_by=["metrics.score ASC"]),
    "order": found(order_by=["metrics.score DESC"]),
    "page": found(order_by=["metrics.score DESC"], max_results=1),
}
page = client.search_runs([experiment], "", max_results=1, order_by=["metrics.score DESC"])
rest = client.search_runs([experiment], "", max_results=1, order_by=["metrics.score DESC"], page_token=page.token)
said["pages"] = [one.info.run_name for one in [*page, *rest]]
said["bad filter"] = refusal(lambda: found("metrics.score >"))
said["bad filter of models"] = refusal(lambda: client.search_registered_models("nonsense ="))

with tempfile.TemporaryDirectory() as folder:
    os.makedirs(f"{folder}/tables")
    with open(f"{folder}/tables/heights.csv", "w") as file:
        file.write("at,height\n1,2\n")
    with open(f"{folder}/empty", "w"):
        pass
    client.log_artifacts(id, folder)
client.log_text(id, "hello", "notes/a file.txt")
client.log_dict(id, {"a": [1, 2]}, "notes/b.json")
said["artefacts"] = [[one.path, one.is_dir, one.file_size] for one in client.list_artifacts(id)]
said["below"] = [[one.path, one.file_size] for one in client.list_artifacts(id, "notes")]
with tempfile.TemporaryDirectory() as folder:
    path = client.download_artifacts(id, "", folder)
    said["downloaded"] = sorted(
        os.path.relpath(os.path.join(where, name), path) for where, _, names in os.walk(path) for name in names
    )
    with open(os.path.join(path, "notes/a file.txt")) as file:
        said["text"] = file.read()

client.create_registered_model("tides", tags={"kind": "test"}, description="Heights")
said["model taken"] = refusal(lambda: client.create_registered_model("tides"))
said["model with a slash"] = refusal(lambda: client.create_registered_model("a/b"))
said["long model key"] = refusal(lambda: client.set_registered_model_tag("tides", "k" * 500, "v"))
versions = [client.create_model_version("tides", f"runs:/{id}/notes", id).version for _ in range(3)]
said["versions"] = [str(one) for one in versions]
client.set_registered_model_alias("tides", "champion", "2")
said["alias"] = str(client.get_model_version_by_alias("tides", "champion").version)
client.delete_registered_model_alias("tides", "champion")
said["no alias"] = refusal(lambda: client.get_model_version_by_alias("tides", "champion"))
client.update_model_version("tides", "1", "The first one")
client.transition_model_version_stage("tides", "1", "Production")
said["latest"] = sorted([one.current_stage, str(one.version)] for one in client.get_latest_versions("tides"))
said["searched"] = [str(one.version) for one in client.search_model_versions("name = 'tides'")]
client.delete_model_version("tides", "3")
said["no version"] = refusal(lambda: client.get_model_version("tides", "3"))
said["models"] = [one.name for one in client.search_registered_models("name LIKE 'tid%'")]

client.set_terminated(id)
said["status"] = client.get_run(id).info.status
client.delete_run(other)
said["without the deleted"] = found()
client.restore_run(other)
said["no run"] = refusal(lambda: client.get_run("0" * 32))
client.delete_experiment(experiment)
said["deleted experiment"] = refusal(lambda: client.create_run(experiment))
client.restore_experiment(experiment)
client.rename_experiment(experiment, "details, renamed")
said["renamed"] = client.get_experiment(experiment).name
print(json.dumps(said))
