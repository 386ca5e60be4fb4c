import { expect } from "@playwright/test";

import { openEditor } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { address, newBrowser, newPerson, password, signIn, test } from "../drivers/people.ts";

test("invites somebody without an account by a link, shares with a team, and gives the project away", async ({
  page,
  browser,
  context,
  person,
}) => {
  const guest = newPerson("Gus");
  const member = await newBrowser(browser);
  const mia = await signIn(member.context, newPerson("Mia"));
  const id = await makeProject(context, "Estuary");
  await context.request.patch(address(`/api/v3/projects/${id}`), { form: { visibility: "private" } });

  // A link for somebody without an account.
  await page.goto(address(`/designer/projects/${id}`));
  await page.getByRole("button", { name: "Share" }).click();
  const share = page.getByRole("dialog", { name: "Share Estuary" });
  await share.getByLabel("Role", { exact: true }).selectOption("editor");
  await share.getByRole("button", { name: "Make an invitation link" }).click();
  const link = await share.getByTestId("invitation-link").textContent();
  await expect(share.getByRole("region", { name: "Open invitations" })).toContainText("Whoever has the link");

  const { page: theirs, context: theirContext } = await newBrowser(browser);
  await theirs.goto(link ?? "");
  await expect(theirs.getByText("Ada Tester invites you to Estuary, to build it together.")).toBeVisible();
  await theirs.getByRole("link", { name: "Create an account" }).click();
  await expect(theirs.getByText("Ada Tester invites you to Estuary.")).toBeVisible();
  await theirs.getByLabel("First name").fill("Gus");
  await theirs.getByLabel("Last name").fill("Tester");
  await theirs.getByLabel("Username").fill(guest.username);
  await theirs.getByLabel("E-mail").fill(guest.email);
  await theirs.getByLabel("Password", { exact: true }).fill(password);
  await theirs.getByRole("button", { name: "Create account" }).click();
  await expect(theirs).toHaveURL(/onboarding/);
  await theirs.getByRole("button", { name: "Skip" }).click();
  const shared = theirs.getByRole("region", { name: "Shared with you" });
  await expect(shared.getByRole("link", { name: "Estuary" })).toBeVisible();
  await expect(shared.getByText("Editor")).toBeVisible();
  await theirs.goto(link ?? "");
  await expect(theirs.getByText("This invitation was used already. Ask for a new one.")).toBeVisible();

  // A team as editors.
  await page.goto(address("/account/teams"));
  await page.getByLabel("Name of a new team").fill("Hydrologists");
  await page.getByRole("button", { name: "Make a team" }).click();
  await page.getByLabel("Add somebody").fill(mia.username);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByTestId("team-person")).toHaveCount(2);
  await page.goto(address(`/designer/projects/${id}`));
  await page.getByRole("button", { name: "Share" }).click();
  await share.getByLabel("Share with a team").selectOption({ label: "Hydrologists (2 people)" });
  await share.getByLabel("Role of the team").selectOption("editor");
  await share.getByRole("button", { name: "Share", exact: true }).click();
  await expect(share.getByTestId("project-team")).toContainText("Hydrologists");
  await member.page.goto(address(`/designer/projects/${id}`));
  await expect(member.page.getByRole("link", { name: "Add Workflow" })).toBeVisible();

  // The new owner accepts on the home page.
  await share.getByRole("button", { name: "Make Gus Tester the owner" }).click();
  await page.getByRole("dialog", { name: "Transfer ownership" }).getByRole("button", { name: "Transfer" }).click();
  await expect(page.getByText("Gus Tester is asked whether they take it.")).toBeVisible();
  await theirs.goto(address("/designer/"));
  await expect(theirs.getByText("Ada Tester wants to give you Estuary")).toBeVisible();
  await theirs.getByRole("button", { name: "Accept Estuary" }).click();
  const own = theirs.getByRole("region", { name: "Your Projects" });
  await expect(own.getByRole("link", { name: "Estuary" })).toBeVisible();
  await page.goto(address("/designer/"));
  const back = page.getByRole("region", { name: "Shared with you" });
  await expect(back.getByRole("link", { name: "Estuary" })).toBeVisible();

  // Who leaves the team has lost the project.
  await member.page.goto(address("/account/teams"));
  await member.page.getByRole("link", { name: "Hydrologists" }).click();
  await member.page.getByRole("button", { name: "Leave the team" }).click();
  await member.page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
  await expect(member.page.getByText("You are in no team yet.")).toBeVisible();
  await member.page.goto(address(`/designer/projects/${id}`));
  await expect(member.page.getByText("Project not found")).toBeVisible();
  expect(person.username).not.toBe(guest.username);
  await theirContext.close();
  await member.context.close();
});

test("tells people in a workflow that it is gone, and leads to a page that still exists", async ({
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await openEditor(ben.page, path);
  await expect(ben.page.getByTestId("collaborators")).toBeVisible();
  await context.request.delete(address(`/api/v3/graphs/${graph}`));
  await expect(ben.page.getByText("This workflow no longer exists")).toBeVisible();
  await ben.page.getByRole("link", { name: "Back to the project" }).click();
  await expect(ben.page.getByRole("heading", { name: "Workflows" })).toBeVisible();

  const other = await twoPeople(browser, context);
  await openEditor(other.ben.page, other.path);
  await expect(other.ben.page.getByTestId("collaborators")).toBeVisible();
  await context.request.delete(address(`/api/v3/projects/${other.project}`));
  await expect(other.ben.page.getByText("This workflow no longer exists")).toBeVisible();
  await other.ben.page.getByRole("link", { name: "Go to your projects" }).click();
  await expect(other.ben.page.getByRole("heading", { name: "Your Projects" })).toBeVisible();
});
