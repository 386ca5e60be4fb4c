# A training script as people have it: nothing in it knows of Miranda.
import mlflow
import mlflow.sklearn
from mlflow.models import infer_signature
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

mlflow.set_experiment("iris")
mlflow.sklearn.autolog()

features, target = load_iris(return_X_y=True, as_frame=True)
train_x, test_x, train_y, test_y = train_test_split(features, target, random_state=1)

with mlflow.start_run() as run:
    model = LogisticRegression(max_iter=200)
    model.fit(train_x, train_y)
    mlflow.log_metric("test_accuracy", model.score(test_x, test_y))
    mlflow.log_param("rows", len(train_x))
    signature = infer_signature(test_x, model.predict(test_x))
    logged = mlflow.sklearn.log_model(model, artifact_path="model", signature=signature)

version = mlflow.register_model(logged.model_uri, "iris")
client = mlflow.MlflowClient()
client.set_registered_model_alias("iris", "champion", version.version)
champion = mlflow.pyfunc.load_model("models:/iris@champion")
same = champion.predict(test_x).tolist() == model.predict(test_x).tolist()
print("run", run.info.run_id, "version", version.version, "predicts the same", same)
