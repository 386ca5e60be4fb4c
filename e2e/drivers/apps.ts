import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";

import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";
import type {
  Deployment,
  DeploymentPatch,
  ReleaseProposal,
} from "@miranda/contract/schemas/deployments/deployments.ts";
import { randomBytes } from "node:crypto";

import { makeEdge, makeNode } from "./canvas.ts";
import { makeProject, makeWorkflow } from "./fixtures.ts";
import { address } from "./people.ts";
import { nameVersion } from "./versions.ts";

// An app that reads a table of tides, takes its time, and shows a number, a table, a chart and a file.

const readTides = `import csv
from miranda import Field, File, Node, Number, Text, Transmitter


class ReadTides(Node):
    place = Field("", control=Text(placeholder="A port"))
    table = Field(control=File(accept=".csv"))
    rows = Transmitter("table")

    def run(self):
        if self.place == "Atlantis":
            raise ValueError("There is no such port.")
        with open(self.table, newline="") as lines:
            self.rows.send([float(row["height"]) for row in csv.DictReader(lines)])
`;

const forecast = `import time
from miranda import Field, Node, Number, OutputFile, Receiver, Slider, progress, show


class Forecast(Node):
    rows = Receiver("table")
    days = Field(3, control=Number(min=1, max=30))
    patience = Field(0, control=Slider(0, 60))

    def run(self):
        for tenth in range(self.patience):
            progress(tenth, self.patience, "Waves")
            time.sleep(0.1)
        show(max(self.rows))
        show([{"day": day + 1, "height": round(max(self.rows) + day / 10, 2)} for day in range(self.days)])
        show([float(height) for height in self.rows])
        show(OutputFile("forecast.txt", f"Up to {max(self.rows)} m"))
`;

export interface DeployedApp {
  project: string;
  graph: string;
  name: string;
  /** The address of the app. */
  path: string;
}

/** Deploys the app of tides as this person. */
export async function deployTides(context: BrowserContext, settings: DeploymentPatch = {}): Promise<DeployedApp> {
  const project = await makeProject(context, "Tides");
  // Readers of a public project see more than those who only use its apps.
  await context.request.patch(address(`/api/v3/projects/${project}`), { form: { visibility: "private" } });
  const graph = await makeWorkflow(context, project, "Forecast");
  const read = await makeNode(context, graph, { name: "ReadTides", code: readTides });
  const cast = await makeNode(context, graph, { name: "Forecast", code: forecast, at: { x: 400, y: 0 } });
  await makeEdge(context, read, "rows", cast, "rows");
  await nameVersion(context, graph, "First", { publish: true });

  const proposal = (await getJson(context, `/api/v3/graphs/${graph}/deployment/proposal?version=1`)) as ReleaseProposal;
  const words: Record<string, object> = {
    place: { label: "Place", required: true, default: null },
    table: { label: "Measurements", required: true, help: "A table with a column called height." },
    days: { label: "Days" },
    patience: { label: "Patience" },
  };
  const fields = Object.keys(words).map((attribute) => {
    const field = proposal.fields.find((one) => one.attribute === attribute);
    if (!field) throw new Error(`The release has no ${attribute}.`);
    const { node_name: _node, ticked: _ticked, ...rest } = field;
    return { ...rest, ...words[attribute] };
  });
  const name = `tides-${randomBytes(4).toString("hex")}`;
  const form = {
    fields,
    outputs: [{ name: "forecast", label: "Forecast", wob_key: cast.metadata_id, transmitter: null }],
    steps: [
      { wob_key: read.metadata_id, label: "Reading your table" },
      { wob_key: cast.metadata_id, label: "Looking ahead" },
    ],
  };
  const made = await context.request.post(address(`/api/v3/graphs/${graph}/deployment`), {
    data: {
      name,
      title: "Tide forecast",
      description: "Says how **high** the water will be.",
      tags: ["sea"],
      access: "accounts",
      ...settings,
      release: { version: 1, form, channel: "production" },
    },
  });
  expect(made.status(), await made.text()).toBe(201);
  return { project, graph, name, path: `/explorer/apps/${name}` };
}

async function getJson(context: BrowserContext, path: string): Promise<unknown> {
  const answer = await context.request.get(address(path));
  expect(answer.status(), await answer.text()).toBe(200);
  return answer.json();
}

/** The secret part of the link of a deployment. */
export async function makeLink(context: BrowserContext, graph: string): Promise<string> {
  const answer = await context.request.post(address(`/api/v3/graphs/${graph}/deployment/link`));
  expect(answer.status(), await answer.text()).toBeLessThan(300);
  const { sharing } = (await answer.json()) as Deployment;
  if (!sharing?.link) throw new Error("The deployment has no link.");
  return sharing.link;
}

const csv = "height\n1.5\n4.25\n2\n";
export const tides = { name: "tides.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };

/** Fills in the form of the app of tides. */
export async function fillTides(page: Page | Locator, { place = "Brest", patience = 0 } = {}): Promise<void> {
  await page.getByLabel("Place").fill(place);
  await page.getByLabel(/^Measurements/).setInputFiles(tides);
  await page.getByLabel("Patience, as a number").fill(`${patience}`);
}

/** Calls the app without the screen, and waits for its end. */
export async function callTides(context: BrowserContext, name: string, place = "Brest"): Promise<Call> {
  const answer = await context.request.post(address(`/api/v3/deployments/${name}/runs?wait=60`), {
    multipart: { place, table: tides },
  });
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()) as Call;
}

export const callState = (page: Page | Locator): Locator => page.getByTestId("call-state");
