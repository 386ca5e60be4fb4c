import { TestClient } from "./test-client.ts";
import type { TestAccount, TestServer } from "./test-server.ts";
import { password } from "./test-server.ts";

/** What a refusal says. */
export interface MlflowRefusal {
  error_code: string;
  message: string;
}

/** Calls the tracking server of one project as a client of MLflow does. */
export class MlflowClient {
  readonly #client: TestClient;
  readonly base: string;

  constructor(server: TestServer, projectId: string, token: string | undefined) {
    this.#client = server.anonymous();
    if (token !== undefined) this.#client.headers = { authorization: `Bearer ${token}` };
    this.base = `/mlflow/${projectId}`;
  }

  send(method: string, path: string, body?: unknown) {
    const whole = path.startsWith("/") ? path : `/api/2.0/mlflow/${path}`;
    if (method === "GET") return this.#client.get(this.base + whole + queryOf(body));
    const text = typeof body === "string" ? body : JSON.stringify(body ?? {});
    return this.#client.send(method, this.base + whole, text, { "content-type": "application/json" });
  }

  /** The answer of a call that succeeds. */
  async post<Result = Record<string, unknown>>(path: string, body: unknown): Promise<Result> {
    return this.#succeeded(path, await this.send("POST", path, body));
  }

  async get<Result = Record<string, unknown>>(path: string, query: Record<string, string> = {}): Promise<Result> {
    return this.#succeeded(path, await this.send("GET", path, query));
  }

  /** The status and the words of a call that is refused. */
  async refused(method: string, path: string, body?: unknown): Promise<[number, string, string]> {
    const answer = await this.send(method, path, body);
    const { error_code, message } = answer.json<MlflowRefusal>();
    return [answer.status, error_code, message];
  }

  #succeeded<Result>(path: string, answer: Awaited<ReturnType<TestClient["get"]>>): Result {
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json<Result>();
  }
}

function queryOf(body: unknown): string {
  const query = new URLSearchParams(body as Record<string, string> | undefined).toString();
  return query && `?${query}`;
}

/** A new access token of an account. */
export async function accessToken(account: TestAccount): Promise<string> {
  const answer = await account.post("/api/v3/auth/access_tokens", { web_password: password });
  if (answer.status !== 200) throw new Error(`token: ${answer.status} ${answer.text}`);
  return answer.json<{ token: string }>().token;
}

/** A new project of an account, and a client of its tracking server. */
export async function openTracking(server: TestServer, owner: TestAccount, visibility = "private") {
  const project = await owner.post("/api/v3/projects/", { name: "Tracked", description: "" });
  const { id: projectId } = project.json<{ id: string }>();
  await owner.patch(`/api/v3/projects/${projectId}`, { visibility });
  const token = await accessToken(owner);
  return { projectId, token, client: new MlflowClient(server, projectId, token) };
}
