import type { GraphResponse, Node } from "@miranda/contract/schemas/nodes.ts";
import type { Comparison, MergePreview, RestoredVersion } from "@miranda/contract/schemas/versions.ts";

import { buildGraph, buildProject, type Cast } from "../access.ts";
import { addNode, ends, readGraph } from "../editor.ts";
import type { Answer, TestClient } from "../test-client.ts";

/** Code with two fields, a receiver and a transmitter. */
export function codeOf(name: string, { epochs = "10", note = "hello", run = "self.output.send(self.input)" } = {}) {
  return `from miranda import Field, Node, Receiver, Transmitter


class ${name}(Node):
    epochs = Field(${epochs}, kind="int")

    note = Field("${note}")

    input = Receiver("any")
    output = Transmitter("any")

    def run(self):
        ${run}
`;
}

/** A workflow with two joined nodes, and the editor's clone of it in a project of their own. */
export async function originAndClone(cast: Cast) {
  const project = await buildProject(cast);
  const origin = await buildGraph(cast, project.id);
  const load = await addNode(cast.owner, origin, "Load");
  const train = await addNode(cast.owner, origin, "Train");
  await writeCode(cast.owner, origin, "Train", codeOf("Train"));
  await cast.owner.post("/api/v3/objects/edges", ends(load.metadata_id, "output", train.metadata_id, "input"));
  const own = await cast.editor.post("/api/v3/projects/", { name: "Copies" });
  const copies = own.json<{ id: string }>().id;
  await cast.editor.patch(`/api/v3/projects/${copies}`, { visibility: "private" });
  const clone = await cloneOf(cast.editor, origin, copies);
  return { project, origin, clone, load, train };
}

async function cloneOf(client: TestClient, graph: string, project: string): Promise<string> {
  const answer = await client.post(`/api/v3/graphs/${graph}/clone`, { to_project: project });
  if (answer.status !== 200) throw new Error(`clone: ${answer.text}`);
  return answer.json<{ id: string }>().id;
}

/** The node of a workflow with this name. */
export async function nodeNamed(client: TestClient, graph: string, name: string): Promise<Node> {
  const found = findNamed(await readGraph(client, graph), name);
  if (!found) throw new Error(`There is no node ${name}.`);
  return found;
}

export function findNamed({ nodes }: GraphResponse, name: string): Node | undefined {
  return Object.values(nodes).find((node) => node.name === name);
}

export function valueOf(node: Node | undefined, attribute: string): unknown {
  return node?.api.attributes.find(({ name }) => name === attribute)?.value;
}

export async function writeCode(client: TestClient, graph: string, name: string, code: string): Promise<void> {
  const { metadata_id } = await nodeNamed(client, graph, name);
  await expectDone(client.put(`/api/v3/objects/${metadata_id}/api`, { source_code: code, api: "{}" }));
}

export async function setValue(
  client: TestClient,
  graph: string,
  name: string,
  values: Record<string, string | number>,
): Promise<void> {
  const { metadata_id } = await nodeNamed(client, graph, name);
  for (const [attribute, attribute_value] of Object.entries(values))
    await expectDone(client.patch(`/api/v3/objects/${metadata_id}/attributes/${attribute}`, { attribute_value }));
}

async function expectDone(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(`${status} ${text}`);
}

export async function previewOf(client: TestClient, into: string, from: string): Promise<MergePreview> {
  const answer = await client.post(`/api/v3/graphs/${into}/merges/preview`, { from });
  if (answer.status !== 200) throw new Error(`preview: ${answer.status} ${answer.text}`);
  return answer.json<MergePreview>();
}

/** Looks and merges. `decide` names a side or a value for each conflict. */
export async function merge(
  client: TestClient,
  into: string,
  from: string,
  decide: (conflict: MergePreview["conflicts"][number]) => unknown = () => "mine",
): Promise<Answer> {
  const { theirs_revision, mine_revision, conflicts } = await previewOf(client, into, from);
  const resolutions = Object.fromEntries(conflicts.map((conflict) => [conflict.id, decide(conflict)]));
  return client.postJson(`/api/v3/graphs/${into}/merges`, { from, theirs_revision, mine_revision, resolutions });
}

/** Merges without a conflict, and returns what it did. */
export async function mergeAll(client: TestClient, into: string, from: string): Promise<RestoredVersion> {
  const answer = await merge(client, into, from);
  if (answer.status !== 200) throw new Error(`merge: ${answer.status} ${answer.text}`);
  return answer.json<RestoredVersion>();
}

/** What two equal workflows differ in. */
export const noDifferences: Comparison = { nodes: [], edges: [], groups: [] };

/** What differs between two workflows now. */
export async function differencesOf(client: TestClient, one: string, other: string): Promise<Comparison> {
  const answer = await client.get(`/api/v3/graphs/${one}/versions/now/compare/now?with=${other}`);
  if (answer.status !== 200) throw new Error(`compare: ${answer.status} ${answer.text}`);
  return answer.json<Comparison>();
}
