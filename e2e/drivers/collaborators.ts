import type { Browser, BrowserContext, Page } from "@playwright/test";

import { invite, makeGraph, type OpenWorkflow } from "./canvas.ts";
import { newBrowser, newPerson, type Person, signIn } from "./people.ts";

interface Collaborator {
  context: BrowserContext;
  page: Page;
  person: Person;
}

async function signInCollaborator(browser: Browser, name: string): Promise<Collaborator> {
  const { context, page } = await newBrowser(browser);
  return { context, page, person: await signIn(context, newPerson(name)) };
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
