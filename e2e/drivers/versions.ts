import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";

import type { Version, VersionGraph } from "@miranda/contract/schemas/versions.ts";

import { address } from "./people.ts";

/** Names the workflow as it is, without the screen. */
export async function nameVersion(
  context: BrowserContext,
  graph: string,
  name: string,
  fields: { message?: string; publish?: boolean } = {},
): Promise<Version> {
  const answer = await context.request.post(address(`/api/v3/graphs/${graph}/versions`), { form: { name, ...fields } });
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()) as Version;
}

export async function versionGraph(context: BrowserContext, graph: string, version: string): Promise<VersionGraph> {
  const answer = await context.request.get(address(`/api/v3/graphs/${graph}/versions/${version}/graph`));
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()) as VersionGraph;
}

export async function writeCode(context: BrowserContext, node: number, source_code: string): Promise<void> {
  const answer = await context.request.put(address(`/api/v3/objects/${node}/api`), { form: { source_code } });
  expect(answer.status(), await answer.text()).toBe(200);
}

export async function setValue(context: BrowserContext, node: number, name: string, value: unknown): Promise<void> {
  const answer = await context.request.patch(address(`/api/v3/objects/${node}/attributes/${name}`), {
    form: { attribute_value: typeof value === "string" ? value : JSON.stringify(value) },
  });
  expect(answer.status(), await answer.text()).toBe(200);
}

export async function deleteNode(context: BrowserContext, node: number): Promise<void> {
  const answer = await context.request.delete(address(`/api/v3/objects/${node}`));
  expect(answer.status(), await answer.text()).toBe(200);
}

export async function cloneWorkflow(context: BrowserContext, graph: string, project: string): Promise<string> {
  const answer = await context.request.post(address(`/api/v3/graphs/${graph}/clone`), {
    form: { to_project: project },
  });
  expect(answer.status(), await answer.text()).toBe(200);
  return ((await answer.json()) as { id: string }).id;
}

/** A row of the timeline. */
export const versionRow = (page: Page, name: string): Locator => page.getByTestId("version").filter({ hasText: name });

/** A row of a list of differences or conflicts. */
export const step = (page: Page | Locator, name: string | RegExp): Locator => page.getByRole("option", { name });
