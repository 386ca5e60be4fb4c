import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { openEditor } from "../drivers/canvas.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, makeProgram } from "../drivers/sessions.ts";

// A node crashes, and its variables are read when the session is gone.

const program = `from miranda import Node


class Report(Node):
    def run(self):
        rows = [{"tide": at, "port": "Brest"} for at in range(3)]
        limit = {"highest": 10}
        print("share", self.share(rows, limit))

    def share(self, rows, limit):
        total = sum(row["tide"] for row in rows)
        return total / limit["lowest"]
`;

test.afterEach(({ context }) => endSessions(context));

const exception = (page: Page) => page.getByRole("region", { name: "Exception" });
const beside = (page: Page) => page.getByRole("region", { name: "Values at the crash" });

test("the variables of a crash are read, fixed beside the code and resumed", async ({
  page,
  context,
  person: _person,
}) => {
  test.slow();
  await giveToken(context);
  const { path } = await makeProgram(context, program);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(exception(page)).toContainText("KeyError: 'lowest'", { timeout: 40_000 });

  // In the editor: the frame that failed, then its caller.
  const variables = exception(page).getByRole("region", { name: "Variables" });
  await expect(variables.getByRole("tree")).toContainText("total:");
  await expect(variables.getByRole("tree")).toContainText("highest:");
  await exception(page)
    .getByRole("button", { name: /^run Step 1/ })
    .click();
  await expect(variables.getByRole("tree")).not.toContainText("total:");
  await expect(variables.getByRole("tree")).toContainText("rows:");

  await audit(page, "the variables of an exception", "[data-stopped]");

  // The session ends, and the values stay.
  await exception(page).getByRole("link", { name: "Fix and resume" }).click();
  await expect(beside(page)).toContainText("KeyError: 'lowest'");
  await endSessions(context);
  await page.reload();
  await expect(beside(page)).toContainText("KeyError: 'lowest'", { timeout: 40_000 });
  await expect(beside(page).getByRole("tree")).toContainText("total:");
  await expect(page.locator(".cm-line:visible", { hasText: 'limit["lowest"]' })).toBeVisible();

  await audit(page, "the values at a crash beside the code", "[aria-label='Values at the crash']");

  // Fixed and resumed: a new session runs it.
  await page.locator(".cm-line:visible", { hasText: 'limit["lowest"]' }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.type('return total / limit["highest"]');
  await beside(page).getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText("share 0.3", { exact: true })).toBeVisible({ timeout: 60_000 });
  await beside(page).getByRole("button", { name: "Close the values" }).click();
  await expect(beside(page)).toBeHidden();
});

test("a reader sees the exception and no variables", async ({ page, context, person: _person, browser }) => {
  test.slow();
  await giveToken(context);
  const { path } = await makeProgram(context, program);
  const reading = await newBrowser(browser);
  await signIn(reading.context, newPerson("Rea"));
  await reading.page.goto(address(path));
  await expect(reading.page.getByTestId("view-only")).toBeVisible({ timeout: 40_000 });
  await openEditor(page, path);
  await runButton(page).click();
  await expect(exception(page).getByRole("region", { name: "Variables" })).toBeVisible({ timeout: 40_000 });
  await expect(exception(reading.page)).toContainText("KeyError: 'lowest'", { timeout: 20_000 });
  await expect(exception(reading.page).getByRole("region", { name: "Variables" })).toBeHidden();
  await expect(exception(reading.page).getByRole("link", { name: "Fix and resume" })).toBeHidden();
  await reading.context.close();
});
