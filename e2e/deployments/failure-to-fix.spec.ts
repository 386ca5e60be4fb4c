import { expect } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { card, makeEdge, storedNode } from "../drivers/canvas.ts";
import {
  callAndWait,
  deploy,
  deployDialog,
  deploymentPath,
  deployWorkflow,
  fixedForecast,
  forecast,
  release,
} from "../drivers/deployments.ts";
import { address, test } from "../drivers/people.ts";
import { endSessions, giveToken, makeProgram, writeCode } from "../drivers/sessions.ts";

test.describe.configure({ timeout: 240_000 });
test.afterEach(({ context }) => endSessions(context));

test("the owner finds a failed call, fixes it, publishes it, and rolls back", async ({
  page,
  context,
  person: _person,
}) => {
  await giveToken(context);
  const made = await deploy(context);
  const [node = 0] = made.nodes;
  const { name } = made.deployment;
  expect((await callAndWait(context, name, { city: "Bergen", days: 4 })).state).toBe("done");
  const failed = await callAndWait(context, name, { city: "Atlantis", days: 5 });
  expect(failed.state).toBe("failed");

  // The overview counts it, the list shows it, and its run has everything that runs have.
  await page.goto(address(deploymentPath(made)));
  await page.getByRole("link", { name: "Failed today" }).click();
  const row = page.getByTestId("call");
  await expect(row).toHaveCount(1);
  await expect(row).toContainText("Atlantis");
  await audit(page, "failed calls");
  await row.getByRole("link", { name: /Atlantis/ }).click();
  await expect(page.getByTestId("run-failure")).toContainText("KeyError");
  await expect(page.getByTestId("run-header")).toContainText("by a deployment");
  await page.getByTestId("run-failure").getByRole("link", { name: "Open in Designer" }).click();

  // Its inputs are offered as values, and an undo takes them back.
  const notice = page.getByTestId("call-notice");
  await expect(notice).toContainText("A call failed in Step 1");
  await expect(notice).toContainText("KeyError");
  await audit(page, "a call in the editor", "[data-testid=call-notice]");
  await notice.getByRole("button", { name: "Use the 2 inputs of the call" }).click();
  await expect(notice).toContainText("The inputs are in the fields.");
  const city = async () =>
    (await storedNode(context, made.graph, node))?.api.attributes.find((one) => one.name === "city")?.value;
  await expect.poll(city).toBe("Atlantis");
  await card(page, "Step 1").click();
  await page.keyboard.press("Control+z");
  await expect.poll(city).toBe("Oslo");
  await notice.getByRole("button", { name: "Use the 2 inputs of the call" }).click();
  await expect.poll(city).toBe("Atlantis");

  // The code at the line that failed, with the values of the call beside it.
  await notice.getByRole("link", { name: "Fix and resume" }).click();
  const beside = page.getByRole("region", { name: "Values at the crash" });
  await expect(beside).toContainText("KeyError: 'Atlantis'");
  await expect(beside.getByRole("tree")).toContainText("heights");
  await writeCode(context, node, fixedForecast);
  await expect(page.locator(".cm-line:visible", { hasText: "heights.get" })).toBeVisible();
  await beside.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText("forecast for Atlantis").first()).toBeVisible({ timeout: 60_000 });

  // Published, released, served: the same call works now.
  await page.goto(address(deploymentPath(made)));
  await page.getByRole("button", { name: "New release" }).click();
  await deployDialog(page).getByRole("button", { name: "Publish it as it is now" }).click();
  await deployDialog(page).getByLabel("Name of the version").fill("Other cities");
  await deployDialog(page).getByRole("button", { name: "Publish", exact: true }).click();
  await expect(deployDialog(page).getByLabel("Version")).toHaveValue("2");
  await deployDialog(page).getByRole("button", { name: "Release", exact: true }).click();
  await expect(release(page, 2)).toContainText("Production");
  const again = await callAndWait(context, name, { city: "Atlantis", days: 5 });
  expect(again.state).toBe("done");
  expect(again.app.release).toBe(2);

  // One click, and the older release answers again.
  await release(page, 1).getByRole("button", { name: "Roll back to this: release 1" }).click();
  await expect(release(page, 1)).toContainText("Production");
  expect((await callAndWait(context, name, { city: "Atlantis", days: 5 })).state).toBe("failed");
  expect((await callAndWait(context, name, { city: "Oslo", days: 2 })).app.release).toBe(1);
});

const load = `from time import sleep

from miranda import Field, Node, Transmitter


class Load(Node):
    city = Field("Oslo")
    rows = Transmitter("list")

    def run(self):
        print("loading", self.city)
        sleep(0.05)  # Long enough to be worth keeping.
        self.rows.send([self.city] * 3)
`;

const report = `from miranda import Node, Receiver


class Report(Node):
    rows = Receiver("list")

    def run(self):
        print("rows", len(self.rows) / self.rows.count("Oslo"))
`;

test("a fix is resumed with the input of the call and what it had made", async ({ page, context, person: _person }) => {
  await giveToken(context);
  const made = await makeProgram(context, load, report);
  const [first = 0, second = 0] = made.nodes;
  await makeEdge(context, { metadata_id: first }, "rows", { metadata_id: second }, "rows");
  const deployment = await deployWorkflow(context, made.graph);
  const failed = await callAndWait(context, deployment.name, { city: "Atlantis" });
  expect(failed.state).toBe("failed");
  await page.goto(address(`${made.path}?call=${failed.id}`));
  const notice = page.getByTestId("call-notice");
  await notice.getByRole("button", { name: "Use the input of the call" }).click();
  await expect(notice).toContainText("The inputs are in the fields.");
  await notice.getByRole("link", { name: "Fix and resume" }).click();
  const beside = page.getByRole("region", { name: "Values at the crash" });
  await expect(beside).toContainText("ZeroDivisionError");
  await writeCode(context, second, report.replace('/ self.rows.count("Oslo")', ""));
  await expect(page.locator(".cm-line:visible", { hasText: 'print("rows", len(self.rows) )' })).toBeVisible();
  await beside.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByTestId("log-lines")).toContainText("rows 3", { timeout: 60_000 });
  await expect(page.getByTestId("log-lines")).not.toContainText("loading");
});

test("calls and the log of a processor appear while they are made", async ({ page, context, person: _person }) => {
  const made = await deploy(context, forecast);
  await page.goto(address(deploymentPath(made, "calls")));
  await expect(page.getByText("No calls yet")).toBeVisible();
  await callAndWait(context, made.deployment.name, { city: "Bergen" });
  await expect(page.getByTestId("call")).toContainText("city: Bergen");
  await expect(page.getByTestId("call")).toHaveAttribute("data-state", "done");
  await audit(page, "calls");

  await page.getByRole("link", { name: "Processors", exact: true }).click();
  await expect(page.getByTestId("deployment-session")).toHaveCount(1);
  await expect(page.getByTestId("deployment-session")).toContainText(/^Started .*\d\d:\d\d/);
  await expect(page.getByTestId("log-lines")).toContainText("forecast for Bergen");
  await callAndWait(context, made.deployment.name, { city: "Oslo" });
  await expect(page.getByTestId("log-lines")).toContainText("forecast for Oslo");
  await audit(page, "the processors of a deployment");
});

test("a call of a version that the workflow has left says what differs", async ({ page, context, person: _person }) => {
  const made = await deploy(context);
  const [node = 0] = made.nodes;
  const failed = await callAndWait(context, made.deployment.name, { city: "Atlantis" });
  await writeCode(context, node, forecast.replace('    city = Field("Oslo")\n', "").replaceAll("self.city", '"Oslo"'));
  await page.goto(address(`${made.path}?call=${failed.id}`));
  const notice = page.getByTestId("call-notice");
  await expect(notice).toContainText("The workflow has changed since.");
  await expect(notice).toContainText("1 input has no field in the workflow any more.");
  await notice.getByRole("link", { name: "What differs" }).click();
  await expect(page).toHaveURL(/\/compare\?before=1&after=now/);

  // A call that is not there is said, and the editor works.
  await page.goto(address(`${made.path}?call=01900000-0000-7000-8000-000000000000`));
  await expect(notice).toContainText("There is no such run");
  await notice.getByRole("button", { name: "Close" }).click();
  await expect(notice).toBeHidden();
});
