import { type BrowserContext, expect } from "@playwright/test";

import { address } from "./people.ts";

async function post(context: BrowserContext, path: string, form: Record<string, string>): Promise<string> {
  const answer = await context.request.post(address(path), { form });
  expect(answer.status(), await answer.text()).toBe(200);
  return ((await answer.json()) as { id: string }).id;
}

/** A project that every account can read: most journeys show it to other people. */
export function makeProject(context: BrowserContext, name: string, description = ""): Promise<string> {
  return post(context, "/api/v3/projects/", { name, description, visibility: "public" });
}

export function makeWorkflow(
  context: BrowserContext,
  project: string,
  name: string,
  description = "",
): Promise<string> {
  return post(context, "/api/v3/graphs/", { project_id: project, name, description });
}

export const graphml = `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"/>
  <graph edgedefault="directed">
    <node id="a"><data key="d0">Load</data></node><node id="b"><data key="d0">Train</data></node>
    <edge source="a" target="b"/>
  </graph></graphml>`;

export const loadCode = `from miranda import Node, Transmitter

class Load(Node):
    rows = Transmitter("table")
`;

/** A node with a receiver, a transmitter, and a field that only one mode shows. */
export const trainCode = `from miranda import Node, Receiver, Transmitter, Field, Slider, Select

class Train(Node):
    rows = Receiver("table")
    mode = Field("fast", control=Select("fast", "safe"))
    epochs = Field(10, control=Slider(1, 200), shown_when={"mode": [{"value": "safe"}]})
    note = Field("hello")
    model = Transmitter("model")
`;
