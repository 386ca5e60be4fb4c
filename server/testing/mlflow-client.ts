import { newId } from "../platform/crypto.ts";
import { type Answer, TestClient } from "./test-client.ts";
import type { TestAccount, TestServer } from "./test-server.ts";
import { giveToken } from "./workbench.ts";

/** What a refusal says. */
export interface MlflowRefusal {
  error_code: string;
  message: string;
}

/** Calls the tracking server of one project as a client of MLflow does. */
export class MlflowClient {
  readonly #http: TestClient;
  readonly base: string;
  /** The proxy of artefacts. */
  readonly files: string;

  constructor({ url }: { url: string }, projectId: string, token: string | undefined) {
    this.#http = new TestClient(url);
    if (token !== undefined) this.#http.headers = { authorization: `Bearer ${token}` };
    this.base = `/mlflow/${projectId}`;
    this.files = `${this.base}/api/2.0/mlflow-artifacts`;
  }

  /** The answer, whatever it says. `path` is below `/api/2.0/mlflow/`, or whole when it begins with a slash. */
  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const whole = path.startsWith("/") ? path : `/api/2.0/mlflow/${path}`;
    if (method === "GET") return this.#http.get(this.base + whole + queryOf(body));
    const text = typeof body === "string" ? body : JSON.stringify(body ?? {});
    return this.#http.send(method, this.base + whole, text, { "content-type": "application/json" });
  }

  /** The answer of a call that succeeds. */
  async post<Result = Record<string, unknown>>(path: string, body: unknown): Promise<Result> {
    return succeeded(path, await this.send("POST", path, body));
  }

  async get<Result = Record<string, unknown>>(path: string, query: Record<string, string> = {}): Promise<Result> {
    return succeeded(path, await this.send("GET", path, query));
  }

  /** The status and the words of a call that is refused. */
  async refused(method: string, path: string, body?: unknown): Promise<[number, string, string]> {
    const answer = await this.send(method, path, body);
    const { error_code, message } = answer.json<MlflowRefusal>();
    return [answer.status, error_code, message];
  }

  putFile = (path: string, body: NonNullable<RequestInit["body"]>) =>
    this.#http.send("PUT", `${this.files}/artifacts/${path}`, body, { "content-type": "text/plain" });
  getFile = (path: string, headers: Record<string, string> = {}) =>
    this.#http.send("GET", `${this.files}/artifacts/${path}`, undefined, headers);
  deleteFile = (path: string) => this.#http.send("DELETE", `${this.files}/artifacts/${path}`);
  listFiles = (path: string) => this.#http.get(`${this.files}/artifacts?path=${encodeURIComponent(path)}`);
  /** Anything else below the proxy. */
  sendFile = (method: string, path: string, body: unknown = {}) =>
    this.#http.send(method, `${this.files}/${path}`, method === "GET" ? undefined : JSON.stringify(body));
  putPart = (path: string, body: NonNullable<RequestInit["body"]>) =>
    this.#http.send("PUT", `${this.files}/mpu/parts/${path}`, body, {});
}

function succeeded<Result>(path: string, answer: Answer): Result {
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json<Result>();
}

/** A list becomes several parameters of one name. */
function queryOf(body: unknown): string {
  const pairs = Object.entries((body ?? {}) as Record<string, string | readonly string[]>);
  const query = new URLSearchParams(
    pairs.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
  );
  return query.size === 0 ? "" : `?${query.toString()}`;
}

/** The status and the code of a refusal. */
export const refusalOf = (answer: Answer) => [answer.status, answer.json<MlflowRefusal>().error_code];

/** A new project of an account, and a client of its tracking server. */
export async function openTracking(server: TestServer, owner: TestAccount, visibility = "private") {
  const project = await owner.post("/api/v3/projects/", { name: "Tracked", description: "" });
  const { id: projectId } = project.json<{ id: string }>();
  await owner.patch(`/api/v3/projects/${projectId}`, { visibility });
  const token = await giveToken(owner);
  return { projectId, token, client: new MlflowClient(server, projectId, token) };
}

/** A private project with an experiment 1 and a run in it, and a client of its owner. */
export async function buildTracking(server: TestServer) {
  const owner = await server.signUp();
  const { projectId, token, client: mlflow } = await openTracking(server, owner);
  const runId = newId();
  await server.db.insertInto("experiments").values({ project_id: projectId, number: 1, name: "Trained" }).execute();
  await server.db.insertInto("tracked_runs").values({ id: runId, project_id: projectId, experiment: 1 }).execute();
  const clientOf = async (account: TestAccount) => new MlflowClient(server, projectId, await giveToken(account));
  return {
    ...{ owner, projectId, token, runId, clientOf, mlflow },
    /** As clients write it. */
    run: runId.replaceAll("-", ""),
  };
}
