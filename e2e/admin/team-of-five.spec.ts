import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { type Browser, type BrowserContext, expect, type Page } from "@playwright/test";

import { startProvider, type TestProvider } from "../../server/testing/services/oidc-provider.ts";
import { password, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";

// A team is set up from nothing, works until its budget is used up, and moves to another machine.

const passphrase = "a passphrase for backups";
const program = `from miranda import Node

class Burn(Node):
    def run(self):
        print("worked")
`;
let acme: TestProvider;
let product: Product;
let settings: Record<string, string>;
/** Of the backup and of the installation that is restored from it. */
let folder: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  acme = await startProvider(url);
  const { id, name, issuer, clientId: client_id, clientSecret: client_secret } = acme.settings;
  const provider = { id, name, issuer, client_id, client_secret };
  settings = {
    ...{ PORT: String(port), PUBLIC_URL: url, MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" },
    ...{ MIRANDA_OIDC_PROVIDERS: JSON.stringify([provider]), MIRANDA_BACKUP_PASSPHRASE: passphrase },
    // A credit every two seconds.
    MIRANDA_PRICE_HOUR: "1800",
  };
  folder = await mkdtemp(join(tmpdir(), "miranda-team-"));
  product = await startProduct(settings);
});
test.afterAll(async () => {
  await product.stop();
  // The second product has its data here.
  await rm(folder, { recursive: true, force: true });
  await acme.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

interface Member {
  context: BrowserContext;
  page: Page;
}

async function open(browser: Browser): Promise<Member> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  context.setDefaultTimeout(20_000);
  return { context, page: await context.newPage() };
}

async function fillAccount(page: Page, first: string): Promise<void> {
  await page.getByLabel("First name").fill(first);
  await page.getByLabel("Last name").fill("Team");
  await page.getByLabel("Username").fill(first.toLowerCase());
  const email = page.getByLabel("E-mail");
  // An invitation by e-mail is for that address alone.
  if (page.url().includes("invitation=")) await expect(email).not.toBeEditable();
  else await email.fill(`${first.toLowerCase()}@example.org`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "Skip" }).click();
  await expect(page.getByTestId("account-avatar")).toBeVisible();
}

async function logIn(page: Page, url: string, username: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel("Username or e-mail").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByTestId("account-avatar")).toBeVisible();
}

/** Chromium's own authenticator, instead of a finger on a sensor. */
async function addAuthenticator(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}

test("five people are let in, work until the budget pauses them, and sign in again after a restore", async ({
  page,
  browser,
}) => {
  test.setTimeout(300_000);
  page.setDefaultTimeout(20_000);
  const { url } = product;

  // The lead is the first account, so an administrator, and closes registration.
  await page.goto(`${url}/register`);
  await fillAccount(page, "Lea");
  await page.goto(`${url}/account/admin/settings`);
  await page.getByText("Closed", { exact: true }).click();
  await page.getByRole("button", { name: "Save registration" }).click();
  await expect(page.getByText("Settings saved.").last()).toBeVisible();

  // Three come by invitations.
  const [ben, cem, dot, ida] = [await open(browser), await open(browser), await open(browser), await open(browser)];
  await page.goto(`${url}/account/admin/invitations`);
  const invited: [Member, string][] = [
    [ben, "Ben"],
    [cem, "Cem"],
    [dot, "Dot"],
  ];
  for (const [{ page: theirs }, name] of invited) {
    await page.getByLabel("E-mail").fill(`${name.toLowerCase()}@example.org`);
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const shown = page.getByRole("region", { name: "Open invitations" });
    await expect(shown).toContainText(`${name.toLowerCase()}@example.org`);
    await theirs.goto((await page.getByTestId("invitation-link").textContent()) ?? "");
    await theirs.getByRole("link", { name: "Create an account" }).click();
    await fillAccount(theirs, name);
    await page.reload();
  }
  // One comes from the provider, with an invitation.
  acme.people.set("ida", { email: "ida@acme.example", email_verified: true, preferred_username: "ida", name: "Ida R" });
  await page.getByLabel("E-mail").fill("ida@acme.example");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await expect(page.getByRole("region", { name: "Open invitations" })).toContainText("ida@acme.example");
  await ida.page.goto((await page.getByTestId("invitation-link").textContent()) ?? "");
  await ida.page.getByRole("link", { name: "Create an account" }).click();
  await ida.page.getByRole("button", { name: "Continue with Acme" }).click();
  await ida.page.getByPlaceholder("Enter any login").fill("ida");
  await ida.page.getByPlaceholder("and password").fill("any password");
  await ida.page.getByRole("button", { name: "Sign-in" }).click();
  await ida.page.getByRole("button", { name: "Skip" }).click();
  await expect(ida.page.getByTestId("account-avatar")).toBeVisible();
  // One uses a passkey from now on.
  await addAuthenticator(dot.page);
  await dot.page.goto(`${url}/account`);
  await dot.page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = dot.page.getByRole("dialog");
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByRole("button", { name: "Add a passkey" }).click();
  await expect(dot.page.getByText("Laptop")).toBeVisible();
  await dot.context.clearCookies();
  await dot.page.goto(`${url}/login`);
  await dot.page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(dot.page.getByTestId("account-avatar")).toBeVisible();

  // A team as editors of a project with a purse and a monthly budget.
  await page.goto(`${url}/account/teams`);
  await page.getByLabel("Name of a new team").fill("Tides");
  await page.getByRole("button", { name: "Make a team" }).click();
  for (const [at, username] of ["ben", "cem", "dot", "ida"].entries()) {
    await page.getByLabel("Add somebody").fill(username);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await expect(page.getByTestId("team-person")).toHaveCount(at + 2);
  }
  const post = async (path: string, form: Record<string, string>) => {
    const answer = await page.request.post(`${url}${path}`, { form });
    expect(answer.status(), await answer.text()).toBe(200);
    return (await answer.json()) as { id: string; metadata_id: number };
  };
  const project = (await post("/api/v3/projects", { name: "Estuary", description: "" })).id;
  const graph = (await post("/api/v3/graphs", { name: "Forecast", description: "", project_id: project })).id;
  const node = await post("/api/v3/objects?wob_type=CODE_BLOCK", { name: "Burn", project_id: graph });
  await page.request.put(`${url}/api/v3/objects/${node.metadata_id}/api`, { form: { source_code: program } });
  await page.goto(`${url}/designer/projects/${project}`);
  await page.getByRole("button", { name: "Share" }).click();
  const share = page.getByRole("dialog", { name: "Share Estuary" });
  await share.getByLabel("Share with a team").selectOption({ label: "Tides (5 people)" });
  await share.getByLabel("Role of the team").selectOption("editor");
  await share.getByRole("button", { name: "Share", exact: true }).click();
  await expect(share.getByTestId("project-team")).toContainText("Tides");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Spending" }).click();
  await page.getByRole("button", { name: "Add credits" }).click();
  const fill = page.getByRole("dialog", { name: "Add project credits" });
  await fill.getByLabel("Credits").fill("50");
  await fill.getByRole("button", { name: "Add credits" }).click();
  await expect(page.getByTestId("project-credits")).toHaveText("$50.00");
  await page.getByRole("button", { name: "Grant credits" }).click();
  const grant = page.getByRole("dialog", { name: "Grant project credits" });
  await grant.getByLabel("Credits to grant").fill("-5");
  await grant.getByLabel("Note").fill("For the team");
  await grant.getByRole("button", { name: "Grant credits" }).click();
  await expect(grant).toContainText("The amount must be a number above 0");
  await grant.getByLabel("Credits to grant").fill("25");
  await grant.getByRole("button", { name: "Grant credits" }).click();
  await expect(page.getByTestId("project-credits")).toHaveText("$75.00");
  await page.getByText("The project", { exact: true }).click();
  await expect(page.getByRole("radio", { name: "The project" })).toBeChecked();
  await page.getByRole("button", { name: "Set budget" }).click();
  const budget = page.getByRole("dialog", { name: "Budget for a month" });
  await budget.getByLabel("Amount in $").fill("1");
  await budget.getByText("Pause new runs", { exact: true }).click();
  await budget.getByRole("button", { name: "Save budget" }).click();
  await expect(page.getByText("At 100 % no new runs start.")).toBeVisible();

  // Ben finds the project on his home page and works until the budget pauses him.
  await ben.page.goto(`${url}/designer`);
  await ben.page.getByRole("region", { name: "Shared with you" }).getByRole("link", { name: "Estuary" }).click();
  await ben.page.getByRole("link", { name: "Forecast" }).first().click();
  const run = ben.page.getByRole("button", { name: "Run", exact: true });
  await run.click();
  await expect(ben.page.getByText("worked").first()).toBeVisible({ timeout: 60_000 });
  const refusal = ben.page.getByText(/This project has spent .* of \$1\.00 this month\./).first();
  await expect(async () => {
    await ben.page.getByRole("button", { name: "More ways to run" }).click();
    await ben.page.getByRole("menuitem", { name: "Run all" }).click();
    await expect(refusal).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 60_000 });

  // The lead sees who spent it, by day and down to the node.
  await page.goto(`${url}/designer/projects/${project}`);
  await page.getByRole("button", { name: "Spending" }).click();
  await page.getByLabel("Divided by").selectOption("person");
  await expect(
    page
      .getByText("Ben Team")
      .or(page.getByText("ben", { exact: true }))
      .first(),
  ).toBeVisible();
  await page.getByRole("list", { name: "Ledger" }).getByRole("button").first().click();
  const session = page.getByRole("dialog", { name: /^Session of/ });
  const burnt = session
    .getByRole("list", { name: /^Nodes of run/ })
    .last()
    .getByRole("listitem");
  await expect(burnt).toContainText("Burn");
  await expect(burnt.locator("[title]")).toHaveAttribute("title", /^\$.*[1-9]/);
  await session.getByRole("button", { name: "Close" }).last().click();

  // The administrator grants credits and exports the audit log.
  await page.goto(`${url}/account/admin/people`);
  await page.getByRole("link", { name: /Ben Team/ }).click();
  await page.getByLabel("Credits to grant").fill("12.5");
  await page.getByLabel("Note").fill("For the tides");
  await page.getByRole("button", { name: "Grant credits" }).click();
  await expect(page.getByText("$112.50", { exact: true })).toBeVisible();
  await page.goto(`${url}/account/admin/audit`);
  await expect(page.getByTestId("audit-event").filter({ hasText: "12.5" }).first()).toBeVisible();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "CSV" }).click()]);
  expect(file.suggestedFilename()).toBe("audit-log.csv");

  // A backup, restored elsewhere. Everybody signs in again.
  const root = resolve(import.meta.dirname, "..", "..");
  const archive = join(folder, "team.zip");
  const command = (name: string, file: string, data: string) =>
    promisify(execFile)(process.execPath, [`server/commands/${name}.ts`, file], {
      cwd: root,
      env: { ...process.env, MIRANDA_DATA: data, DATABASE_URL: "", MIRANDA_BACKUP_PASSPHRASE: passphrase },
    });
  expect((await command("backup", archive, product.folder)).stdout).toContain("It was read back.");
  const elsewhere = join(folder, "data");
  await command("restore", archive, elsewhere);
  // The machine is replaced: the address stays.
  await product.stop();
  product = await startProduct({ ...settings, MIRANDA_DATA: elsewhere });
  for (const username of ["lea", "ben", "cem"]) {
    const again = await open(browser);
    await logIn(again.page, url, username);
    await again.context.close();
  }
  await dot.context.clearCookies();
  await dot.page.goto(`${url}/login`);
  await dot.page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(dot.page.getByTestId("account-avatar")).toBeVisible();
  await ida.context.clearCookies({ domain: "localhost" });
  await ida.page.goto(`${url}/login`);
  await ida.page.getByRole("button", { name: "Continue with Acme" }).click();
  await expect(ida.page.getByTestId("account-avatar")).toBeVisible();
  for (const { context } of [ben, cem, dot, ida]) await context.close();
});
