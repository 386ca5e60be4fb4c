import { newId } from "../platform/crypto.ts";
import { type Answer, TestClient } from "./test-client.ts";
import type { TestAccount, TestServer } from "./test-server.ts";
import { giveToken } from "./workbench.ts";

/** A client of MLflow, as it calls the tracking server of a project. */
export class MlflowClient {
  readonly #http: TestClient;
  readonly root: string;
  /** The proxy of artefacts. */
  readonly files: string;

  constructor(url: string, projectId: string, token: string) {
    this.#http = new TestClient(url);
    this.#http.headers = { authorization: `Bearer ${token}` };
    this.root = `/mlflow/${projectId}/api/2.0/mlflow`;
    this.files = `/mlflow/${projectId}/api/2.0/mlflow-artifacts`;
  }

  get(path: string, query: Record<string, string> = {}): Promise<Answer> {
    return this.#http.get(`${this.root}/${path}?${new URLSearchParams(query).toString()}`);
  }
  post = (path: string, body: unknown) => this.#json("POST", path, body);
  patch = (path: string, body: unknown) => this.#json("PATCH", path, body);
  delete = (path: string, body: unknown = {}) => this.#json("DELETE", path, body);

  putFile = (path: string, body: NonNullable<RequestInit["body"]>) =>
    this.#http.send("PUT", `${this.files}/artifacts/${path}`, body, { "content-type": "text/plain" });
  getFile = (path: string, headers: Record<string, string> = {}) =>
    this.#http.send("GET", `${this.files}/artifacts/${path}`, undefined, headers);
  deleteFile = (path: string) => this.#http.send("DELETE", `${this.files}/artifacts/${path}`);
  listFiles = (path: string) => this.#http.get(`${this.files}/artifacts?path=${encodeURIComponent(path)}`);
  /** Anything else below the proxy. */
  sendFile = (method: string, path: string) =>
    this.#http.send(method, `${this.files}/${path}`, method === "GET" ? undefined : "{}");

  #json(method: string, path: string, body: unknown): Promise<Answer> {
    return this.#http.send(method, `${this.root}/${path}`, JSON.stringify(body), {
      "content-type": "application/json",
    });
  }
}

/** The status and the code of a refusal. */
export const refusalOf = (answer: Answer) => [answer.status, answer.json<{ error_code: string }>().error_code];

/** A private project with an experiment 1 and a run in it, and a client of its owner. */
export async function buildTracking(server: TestServer) {
  const owner = await server.signUp();
  const { id: projectId } = (await owner.post("/api/v3/projects/", { name: "Tracking" })).json<{ id: string }>();
  await owner.patch(`/api/v3/projects/${projectId}`, { visibility: "private" });
  const token = await giveToken(owner);
  const runId = newId();
  await server.db.insertInto("experiments").values({ project_id: projectId, number: 1, name: "Trained" }).execute();
  await server.db.insertInto("tracked_runs").values({ id: runId, project_id: projectId, experiment: 1 }).execute();
  const clientOf = async (account: TestAccount) => new MlflowClient(server.url, projectId, await giveToken(account));
  return {
    ...{ owner, projectId, token, runId, clientOf },
    /** As clients write it. */
    run: runId.replaceAll("-", ""),
    mlflow: new MlflowClient(server.url, projectId, token),
  };
}
