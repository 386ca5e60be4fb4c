import type { Browser, BrowserContext, Page } from "@playwright/test";

import { invite, makeGraph, type OpenWorkflow } from "./canvas.ts";
import { newBrowser, newPerson, type Person, signIn } from "./people.ts";

export interface Collaborator {
  context: BrowserContext;
  page: Page;
  person: Person;
}

async function signInCollaborator(browser: Browser, name: string): Promise<Collaborator> {
  const { context, page } = await newBrowser(browser);
  return { context, page, person: await signIn(context, newPerson(name)) };
}

/** A new person in a browser of their own who may edit a project. */
export async function joinProject(
  browser: Browser,
  owner: BrowserContext,
  project: string,
  name: string,
): Promise<Collaborator> {
  const joined = await signInCollaborator(browser, name);
  await invite(owner, project, joined.person.username, "editor");
  return joined;
}

/** Creates a workflow and a second person who may edit it. */
export async function twoPeople(
  browser: Browser,
  context: BrowserContext,
  role = "editor",
): Promise<OpenWorkflow & { ben: Collaborator }> {
  const workflow = await makeGraph(context);
  const ben = await signInCollaborator(browser, "Ben");
  await invite(context, workflow.project, ben.person.username, role);
  return { ...workflow, ben };
}
