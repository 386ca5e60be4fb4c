import { type BrowserContext, expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { makeNode, openEditor, storedNode } from "../drivers/canvas.ts";
import { editor, line, pane, typeAfter } from "../drivers/coding.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { nameVersion, versionRow, writeCode } from "../drivers/versions.ts";
import { chooseFile, exportedFolder, withText } from "../drivers/workflow-files.ts";

const hello = '    note = Field("hello")\n';
const merged = '    note = Field("merged")\n';

/** Types at the end of a line of a node's code, and waits until the server has it. */
async function draft(page: Page, context: BrowserContext, graph: string, code: string, after: string, typed: string) {
  await page.goto(code);
  await typeAfter(page, after, typed);
  const drafts = async () => (await context.request.get(address(`/api/v3/graphs/${graph}/drafts`))).json();
  await expect.poll(drafts).toHaveLength(1);
}

async function importCode(page: Page, path: string, folder: Map<string, string>): Promise<void> {
  await page.goto(address(`${path}/merge?files=`));
  await chooseFile(page, "forecast.zip", folder);
}

test("names whose unsaved code a merge changes, and lets that person put both together", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  const { metadata_id } = await makeNode(context, graph, { name: "Train", code: trainCode });
  const code = async () => (await storedNode(context, graph, metadata_id))?.source_code ?? "";
  const folder = withText(await exportedFolder(context, graph), "nodes/train.py", hello, merged);
  await draft(ben.page, context, graph, address(`${path}/code/${metadata_id}`), "model = Transmitter", "  # Ben");

  await importCode(page, path, folder);
  await expect(page.getByTestId("drafts-notice")).toContainText(
    "This merge changes the code below unsaved code: Train (Ben).",
  );
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await expect(page.getByTestId("graph-editor")).toBeVisible();

  const notice = ben.page.getByTestId("changed-below");
  await expect(notice).toContainText("The code changed below your draft.");
  await expect(line(ben.page, "# Ben")).toBeVisible();
  // Neither a commit nor a run saves the draft over the merged code.
  await editor(ben.page).click();
  await ben.page.keyboard.press("ControlOrMeta+s");
  await ben.page.keyboard.press("Enter");
  await expect(ben.page.getByRole("dialog").getByRole("alert")).toContainText("The code changed below this draft.");
  await ben.page.getByRole("button", { name: "Cancel" }).click();
  expect(await code()).toBe(trainCode.replace(hello, merged));

  await notice.getByRole("button", { name: "Show the difference" }).click();
  const dialog = ben.page.getByRole("dialog", { name: "The code of Train changed below your draft" });
  await expect(dialog).toContainText("They changed different lines, so they can be put together.");
  await expect(dialog.getByTestId("diff")).toContainText('Field("merged")');
  await expect(dialog.getByTestId("diff")).toContainText("# Ben");
  await audit(ben.page, "the code below a draft", "[role=dialog]");
  await dialog.getByRole("button", { name: "Put both together" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(notice).toHaveCount(0);
  await expect(line(ben.page, 'Field("merged")')).toBeVisible();
  await expect(line(ben.page, "# Ben")).toBeVisible();
  await editor(ben.page).click();
  await ben.page.keyboard.press("ControlOrMeta+s");
  await ben.page.keyboard.press("Enter");
  await expect.poll(code).toContain("# Ben");
  expect(await code()).toContain(merged);
  await ben.context.close();
});

test("names whose unsaved code a restore changes, and lets that person take the stored code or keep the draft", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  const { metadata_id } = await makeNode(context, graph, { name: "Train", code: trainCode });
  await nameVersion(context, graph, "First");
  await writeCode(context, metadata_id, trainCode.replace(hello, merged));
  await draft(ben.page, context, graph, address(`${path}/code/${metadata_id}`), 'Field("merged")', "  # Ben");

  await openEditor(page, path);
  await page.goto(address(`${path}/history`));
  await versionRow(page, "First").click();
  await expect(page.getByTestId("drafts-notice")).toContainText("Train (Ben)");
  await page.getByRole("button", { name: "Restore", exact: true }).click();
  await expect(page.getByTestId("graph-editor")).toBeVisible();

  const notice = ben.page.getByTestId("changed-below");
  const dialog = ben.page.getByTestId("changed-below-dialog");
  await notice.getByRole("button", { name: "Show the difference" }).click();
  await expect(dialog).toContainText("Both changed the same lines in 1 place.");
  await dialog.getByRole("button", { name: "Take the stored code" }).click();
  await expect(line(ben.page, 'Field("hello")')).toBeVisible();
  await expect(line(ben.page, "# Ben")).toHaveCount(0);
  await expect(notice).toHaveCount(0);

  // What was taken can be undone, and the draft then starts from the stored code.
  await editor(ben.page).click();
  await ben.page.keyboard.press("ControlOrMeta+z");
  await expect(line(ben.page, "# Ben")).toBeVisible();
  await expect(notice).toHaveCount(0);

  await writeCode(context, metadata_id, trainCode.replace(hello, '    note = Field("again")\n'));
  await notice.getByRole("button", { name: "Show the difference" }).click();
  await dialog.getByRole("button", { name: "Keep the draft" }).click();
  await expect(notice).toHaveCount(0);
  await expect(pane(ben.page)).toContainText("# Ben");
  await ben.context.close();
});
