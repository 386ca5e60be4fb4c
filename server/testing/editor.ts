import type { ChangedNode } from "@miranda/contract/schemas/changes.ts";
import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";

import type { TestClient } from "./test-client.ts";

export async function addNode(
  client: TestClient,
  graph: string,
  name = "New Node",
  type = "CODE_BLOCK",
): Promise<ChangedNode> {
  const answer = await client.post(`/api/v3/objects?wob_type=${type}`, { name, project_id: graph });
  if (answer.status !== 200) throw new Error(`add ${name}: ${answer.status} ${answer.text}`);
  return answer.json<ChangedNode>();
}

export function ends(from: number, transmitter: string, to: number, receiver: string) {
  return { from_id: from, to_id: to, transmitter_key: transmitter, receiver_key: receiver };
}

export async function readGraph(client: TestClient, graph: string): Promise<GraphResponse> {
  return (await client.get(`/api/v3/graphs/${graph}/graph?include_updates=true`)).json<GraphResponse>();
}

/** Gives a node attributes of our choice without any Python. */
export async function setApi(
  client: TestClient,
  id: number,
  attributes: object[],
  source_code = "pass\n",
): Promise<void> {
  const answer = await client.put(`/api/v3/objects/${id}/api`, { source_code, api: JSON.stringify({ attributes }) });
  if (answer.status !== 200) throw new Error(`set api: ${answer.status} ${answer.text}`);
}
