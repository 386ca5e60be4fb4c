import type { Browser, BrowserContext, Page } from "@playwright/test";

import { invite, makeGraph, type OpenWorkflow } from "./canvas.ts";
import { newBrowser, newPerson, type Person, signIn } from "./people.ts";

export interface Collaborator {
  context: BrowserContext;
  page: Page;
  person: Person;
}

/** A new person in a browser of their own who is a member of a project. */
export async function joinProject(
  browser: Browser,
  owner: BrowserContext,
  project: string,
  name: string,
  role = "editor",
): Promise<Collaborator> {
  const { context, page } = await newBrowser(browser);
  const person = await signIn(context, newPerson(name));
  await invite(owner, project, person.username, role);
  return { context, page, person };
}

/** Creates a workflow and a second person, Ben, who may edit it unless another role is given. */
export async function twoPeople(
  browser: Browser,
  context: BrowserContext,
  role = "editor",
): Promise<OpenWorkflow & { ben: Collaborator }> {
  const workflow = await makeGraph(context);
  return { ...workflow, ben: await joinProject(browser, context, workflow.project, "Ben", role) };
}
