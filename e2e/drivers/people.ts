import { type Browser, type BrowserContext, expect, type Page, test as base } from "@playwright/test";
import { randomBytes } from "node:crypto";

export const password = "correct horse battery";

export function address(path: string): string {
  const url = process.env["E2E_URL"];
  if (!url) throw new Error("The journeys need the server that global-setup starts.");
  return url + path;
}

export interface Person {
  username: string;
  email: string;
  firstName: string;
}

export function newPerson(firstName = "Ada"): Person {
  const username = `${firstName.toLowerCase()}${randomBytes(4).toString("hex")}`;
  return { username, email: `${username}@example.org`, firstName };
}

/** Registers, onboards and signs in a person in their own browser. */
export async function signIn(context: BrowserContext, person = newPerson(), onboarded = true): Promise<Person> {
  const registered = await context.request.post(address("/api/v3/auth/register"), {
    form: {
      username: person.username,
      email: person.email,
      first_name: person.firstName,
      last_name: "Tester",
      password,
    },
  });
  expect(registered.status(), await registered.text()).toBe(200);
  if (onboarded) await context.request.post(address("/api/v3/auth/onboarding"), { form: { industry: "", role: "" } });
  return person;
}

export async function newBrowser(browser: Browser): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  return { context, page: await context.newPage() };
}

/** Every journey fails when the page reports an unexpected error. */
export const test = base.extend<{ person: Person; routesEnded: void; browsersClosed: void }>({
  person: async ({ context }, use) => use(await signIn(context)),
  /** A handler that is still at work when its page closes would fail the journey. */
  routesEnded: [
    async ({ context }, use) => {
      await use();
      for (const page of context.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
    },
    { auto: true },
  ],
  /** Pages of other people that stay open would go on working during the journeys after this one. */
  browsersClosed: [
    async ({ browser }, use) => {
      await use();
      for (const context of browser.contexts()) await context.close();
    },
    { auto: true },
  ],
});

/** Holds back the answers to a call until the returned function is called. */
export async function stall(page: Page, url: string | RegExp, method?: string): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (method === undefined || route.request().method() === method) await promise;
    await route.continue().catch(() => undefined);
  });
  return async () => {
    resolve();
    await page.unroute(url);
  };
}
