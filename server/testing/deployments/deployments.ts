import type {
  AppPage,
  Deployment,
  DeploymentPatch,
  Release,
  ReleaseProposal,
} from "@miranda/contract/schemas/deployments/deployments.ts";

import { addNode, ends, setApi } from "../editor.ts";
import type { Answer, TestClient } from "../test-client.ts";
import { versionsOf } from "../versions/versions.ts";

const json = { "content-type": "application/json" };

/** The calls about the deployment of one workflow, as one person. Those that must succeed throw the refusal. */
export function deploymentOf(client: TestClient, graph: string) {
  const at = `/api/v3/graphs/${graph}/deployment`;
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    body === undefined
      ? client.send(method, `${at}${path}`)
      : client.send(method, `${at}${path}`, JSON.stringify(body), json);
  async function made<Value>(sent: Promise<Answer>): Promise<Value> {
    const answer = await sent;
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<Value>();
  }

  return {
    send,
    get: () => send("GET", ""),
    read: () => made<Deployment>(send("GET", "")),
    deploy: (body: object) => send("POST", "", body),
    deployed: (body: object) => made<Deployment>(send("POST", "", body)),
    patch: (body: unknown) => send("PATCH", "", body),
    changed: (body: DeploymentPatch) => made<Deployment>(send("PATCH", "", body)),
    remove: () => send("DELETE", ""),
    proposal: (version = 1) => made<ReleaseProposal>(send("GET", `/proposal?version=${version}`)),
    release: (body: object) => send("POST", "/releases", body),
    released: (body: object) => made<Release>(send("POST", "/releases", body)),
    serve: (channel: string, release: number | null) => send("PUT", `/channels/${channel}`, { release }),
    token: async (name = "") => (await made<{ token: string }>(send("POST", "/tokens", { name }))).token,
  };
}

/** What a release of a version would be without any change by a person. */
export async function releaseAsProposed(client: TestClient, graph: string, version = 1) {
  const { fields, outputs, steps } = await deploymentOf(client, graph).proposal(version);
  const form = {
    fields: fields.filter(({ ticked }) => ticked).map(({ node_name: _node, ticked: _ticked, ...field }) => field),
    outputs: outputs.filter(({ ticked }) => ticked).map(({ node_name: _node, ticked: _ticked, ...output }) => output),
    steps,
  };
  return { version, form };
}

/** Two nodes: Source asks for a rate and a mode and sends to Target, which sends a result. */
export async function buildFlow(client: TestClient, graph: string): Promise<{ source: number; target: number }> {
  const source = (await addNode(client, graph, "Source")).metadata_id;
  const target = (await addNode(client, graph, "Target")).metadata_id;
  await setApi(client, source, [
    { name: "rate", kind: "float", direction: "RECEIVER_FIELD", value: 1, control: { type: "number", min: 0, max: 9 } },
    {
      ...{ name: "mode", kind: "string", direction: "RECEIVER_FIELD", value: "fast" },
      control: { type: "select", options: ["fast", "safe"] },
    },
    { name: "key", kind: "string", direction: "RECEIVER_FIELD", value: null, control: { type: "secret" } },
    { name: "rows", kind: "table", direction: "TRANSMITTER" },
  ]);
  await setApi(client, target, [
    { name: "rows", kind: "table", direction: "RECEIVER" },
    { name: "data", kind: "any", direction: "RECEIVER_FIELD", value: null, control: { type: "file" } },
    { name: "result", kind: "float", direction: "TRANSMITTER" },
  ]);
  await client.post("/api/v3/objects/edges", ends(source, "rows", target, "rows"));
  return { source, target };
}

/** Deploys a workflow as `buildFlow` makes it, served in production. */
export async function deployFlow(
  client: TestClient,
  graph: string,
  settings: DeploymentPatch & { name: string },
): Promise<Deployment> {
  await versionsOf(client, graph).made("First", { publish: true });
  const release = { ...(await releaseAsProposed(client, graph)), channel: "production" };
  return deploymentOf(client, graph).deployed({ title: settings.name, ...settings, release });
}

/** The names of the apps that somebody is shown. */
export async function galleryOf(client: TestClient, query = ""): Promise<string[]> {
  const page = (await client.get(`/api/v3/deployments${query}`)).json<AppPage>();
  return page.apps.map(({ name }) => name);
}
