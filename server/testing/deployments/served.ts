import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Deployment, DeploymentPatch } from "@miranda/contract/schemas/deployments/deployments.ts";
import { expect } from "vitest";

import type { Answer, TestClient } from "../test-client.ts";
import { versionsOf } from "../versions/versions.ts";
import type { Workbench } from "../workbench.ts";
import { deploymentOf, releaseAsProposed } from "./deployments.ts";

const json = { "content-type": "application/json" };

/** Publishes the workflow as it is, and serves it in production as proposed. */
export async function serveAsProposed(
  bench: Workbench,
  settings: DeploymentPatch & { name: string },
): Promise<Deployment> {
  const version = await versionsOf(bench.owner, bench.graphId).made(settings.name, { publish: true });
  const release = {
    ...(await releaseAsProposed(bench.owner, bench.graphId, version.number ?? 1)),
    channel: "production",
  };
  return deploymentOf(bench.owner, bench.graphId).deployed({ title: settings.name, ...settings, release });
}

/** Publishes the workflow as it is, as another release of its deployment. */
export async function releaseAgain(bench: Workbench, name: string): Promise<number> {
  const version = await versionsOf(bench.owner, bench.graphId).made(name, { publish: true });
  const release = await releaseAsProposed(bench.owner, bench.graphId, version.number ?? 1);
  const made = await deploymentOf(bench.owner, bench.graphId).released({ ...release, channel: "production" });
  return made.number;
}

/** Calls a deployment as one person. */
export function callsOf(client: TestClient, name: string) {
  const at = `/api/v3/deployments/${name}/runs`;
  const send = (inputs: object, query = "", headers: Record<string, string> = {}): Promise<Answer> =>
    client.send("POST", `${at}${query}`, JSON.stringify(inputs), { ...json, ...headers });
  const read = async (id: string): Promise<Call> => (await client.get(`${at}/${id}`)).json<Call>();

  return {
    at,
    send,
    read,
    sendForm: (form: FormData): Promise<Answer> => client.send("POST", at, form),
    get: (id: string, path = ""): Promise<Answer> => client.get(`${at}/${id}${path}`),
    post: (id: string, path: string, form: Record<string, string> = {}): Promise<Answer> =>
      client.post(`${at}/${id}/${path}`, form),
    list: (query = ""): Promise<Answer> => client.get(`${at}${query}`),
    /** Once it is accepted. */
    async made(inputs: object = {}): Promise<Call> {
      const answer = await send(inputs);
      if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
      return answer.json<Call>();
    },
    /** Once it has ended. */
    async done(inputs: object = {}): Promise<Call> {
      const answer = await send(inputs, "?wait=60");
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      return answer.json<Call>();
    },
    async ended(id: string): Promise<Call> {
      await expect.poll(async () => (await read(id)).time_ended, { timeout: 30_000 }).not.toBeNull();
      return read(id);
    },
    cancel: (id: string): Promise<Answer> => client.post(`${at}/${id}/cancel`, {}),
  };
}
