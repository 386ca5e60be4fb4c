import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";

import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Deployment, ReleaseProposal } from "@miranda/contract/schemas/deployments/deployments.ts";

import { address } from "./people.ts";
import { makeProgram, type Workflow } from "./sessions.ts";
import { nameVersion } from "./versions.ts";

/** Fails for one city. */
export const forecast = `from miranda import Field, Node, Select, Slider, Transmitter


class Forecast(Node):
    city = Field("Oslo")
    days = Field(3, control=Slider(1, 14))
    mode = Field("fast", control=Select("fast", "safe"))
    tides = Transmitter("list")

    def run(self):
        heights = {"Oslo": 2, "Bergen": 3}
        print("forecast for", self.city)
        self.tides.send([heights[self.city] * at for at in range(self.days)])
`;

export const fixedForecast = forecast.replace("heights[self.city]", "heights.get(self.city, 1)");

let names = 0;

/** Deploys a workflow with everything that is proposed, without the screen. */
export async function deploy(
  context: BrowserContext,
  program = forecast,
  settings: Record<string, string> = {},
): Promise<Workflow & { deployment: Deployment }> {
  const made = await makeProgram(context, program);
  return { ...made, deployment: await deployWorkflow(context, made.graph, settings) };
}

/** The same for a workflow that is there. */
export async function deployWorkflow(
  context: BrowserContext,
  graph: string,
  settings: Record<string, string> = {},
): Promise<Deployment> {
  await nameVersion(context, graph, "First version", { publish: true });
  names += 1;
  const answer = await context.request.post(address(`/api/v3/graphs/${graph}/deployment`), {
    form: {
      title: "Tides of tomorrow",
      name: `tides-${process.pid}-${Date.now()}-${names}`,
      ...settings,
      release: JSON.stringify({ version: 1, form: await proposedForm(context, graph, 1), channel: "production" }),
    },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()) as Deployment;
}

async function proposedForm(context: BrowserContext, graph: string, version: number): Promise<unknown> {
  const answer = await context.request.get(address(`/api/v3/graphs/${graph}/deployment/proposal?version=${version}`));
  expect(answer.status(), await answer.text()).toBe(200);
  const { fields, outputs, steps } = (await answer.json()) as ReleaseProposal;
  const part = <Item extends { ticked: boolean; node_name: string }>(items: readonly Item[]) =>
    items.filter(({ ticked }) => ticked).map(({ ticked: _ticked, node_name: _node, ...rest }) => rest);
  return { fields: part(fields), outputs: part(outputs), steps };
}

/** Calls a deployment and waits for the end of the call. */
export async function callAndWait(
  context: BrowserContext,
  name: string,
  inputs: Record<string, unknown>,
): Promise<Call> {
  const answer = await context.request.post(address(`/api/v3/deployments/${name}/runs?wait=60`), { data: inputs });
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()) as Call;
}

export const deploymentPath = ({ project, graph }: Workflow, tab = ""): string =>
  `/designer/projects/${project}/deployments/${graph}${tab === "" ? "" : `?tab=${tab}`}`;

export const deployDialog = (page: Page): Locator => page.getByTestId("deploy-dialog");
export const release = (page: Page, number: number): Locator =>
  page.locator(`[data-testid=release][data-number="${number}"]`);
