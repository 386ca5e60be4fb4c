import type { Browser, BrowserContext, Page } from "@playwright/test";

import { invite, makeGraph, type OpenWorkflow } from "./canvas.ts";
import { newBrowser, newPerson, type Person, signIn } from "./people.ts";

interface Guest {
  context: BrowserContext;
  page: Page;
  person: Person;
}

async function guest(browser: Browser, name: string): Promise<Guest> {
  const { context, page } = await newBrowser(browser);
  return { context, page, person: await signIn(context, newPerson(name)) };
}

/** A workflow, and somebody else who may work in it. */
export async function twoPeople(
  browser: Browser,
  context: BrowserContext,
  role = "editor",
): Promise<OpenWorkflow & { ben: Guest }> {
  const workflow = await makeGraph(context);
  const ben = await guest(browser, "Ben");
  await invite(context, workflow.project, ben.person.username, role);
  return { ...workflow, ben };
}
