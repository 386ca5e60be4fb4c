import { expect, type Locator, type Page } from "@playwright/test";

import { comment as limits } from "@miranda/contract/limits.ts";

import { makeNode, openEditor } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { address, newPerson, signIn, test } from "../drivers/people.ts";
import { endedRun } from "../drivers/runs.ts";
import { endSessions } from "../drivers/sessions.ts";
import { bell, orderRun, program, readyProgram } from "../drivers/told-runs.ts";

test.afterEach(({ context }) => endSessions(context));

const hostile = [
  "<script>document.title = 'taken'</script>",
  `<img src=x onerror="document.title = 'taken'">`,
  "<iframe src='https://example.org/frame'></iframe>",
  "<style>main { display: none }</style>",
  "[press](javascript:alert(1)) ![beacon](https://example.org/beacon.png)",
].join("\n\n");

/** Everything that could run or load something is shown as text. */
async function expectHarmless(page: Page, shown: Locator): Promise<void> {
  for (const tag of ["<script>", "<img src=x", "<iframe src=", "<style>main"]) await expect(shown).toContainText(tag);
  await expect(shown.locator("script, img, iframe, style, [onerror], [href^='javascript']")).toHaveCount(0);
  await expect(shown.getByText("press")).toBeVisible();
  await expect(shown.getByRole("link", { name: "beacon" })).toHaveAttribute("href", "https://example.org/beacon.png");
  expect(await page.title()).not.toBe("taken");
}

test("people discuss a run: hostile text does nothing, strangers are told nothing, and a notification leads there", async ({
  page,
  context,
  browser,
  person,
}) => {
  test.slow();
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(address("/"))) elsewhere.push(request.url());
  });
  const { project, graph, path } = await readyProgram(context, program("print('done')"));
  await context.request.patch(address(`/api/v3/projects/${project}`), { form: { visibility: "private" } });
  const ben = await joinProject(browser, context, project, "Ben", "viewer");
  const outside = await browser.newContext();
  const eve = await signIn(outside, newPerson("Eve"));
  await orderRun(context, graph);
  const run = await endedRun(context, graph);

  await page.goto(address(`/designer/runs/${run.id}`));
  await page.getByRole("button", { name: "Comments" }).click();
  const panel = page.getByTestId("comments");
  const field = panel.getByRole("combobox", { name: `Comment on Run ${run.number}` });
  // A text that is too long cannot be sent, and stays in the field.
  await field.fill("x".repeat(limits.textMax + 1));
  await expect(panel.getByText("1 character too many")).toBeVisible();
  await expect(panel.getByRole("button", { name: "Comment", exact: true })).toBeDisabled();
  await field.fill(`@${ben.person.username} @${eve.username}\n\n${hostile}\n\n${"x".repeat(5_000)}`);
  await panel.getByRole("button", { name: "Comment", exact: true }).click();
  await expect(page.getByText(`@${eve.username} cannot read this workflow and was not told.`)).toBeVisible();
  await panel.getByTestId("thread").click();
  await expectHarmless(page, panel.getByTestId("comment"));
  await expect(panel.getByTestId("thread-target")).toHaveText(`Run ${run.number}`);

  // Ben is told and gets to the run. Eve is told nothing, and the thread does not exist for her.
  await ben.page.goto(address("/designer/"));
  await bell(ben.page).click();
  const mention = ben.page.getByRole("link", {
    name: new RegExp(`${person.username} mentioned you on run ${run.number}`),
  });
  const thread = (await mention.getAttribute("href"))?.split("/").at(-1) ?? "";
  await mention.click();
  await expect(ben.page).toHaveURL(new RegExp(`/designer/runs/${run.id}`));
  const seen = ben.page.getByTestId("comments");
  await expectHarmless(ben.page, seen.getByTestId("comment"));
  await seen.getByRole("combobox", { name: "Reply" }).fill("It looks right to me.");
  await seen.getByRole("button", { name: "Reply" }).click();
  await expect(panel.getByTestId("comment")).toHaveCount(2);
  const told = await outside.request.get(address("/api/v3/notifications"));
  expect(told.status()).toBe(200);
  expect(await told.text()).not.toContain(person.username);
  expect((await ben.context.request.get(address(`/api/v3/comment-threads/${thread}`))).status()).toBe(200);
  expect((await outside.request.get(address(`/api/v3/comment-threads/${thread}`))).status()).toBe(404);

  // The reply is in Ada's notifications. She resolves the thread; the workflow's list has it too.
  await bell(page).click();
  const reply = new RegExp(`${ben.person.username} replied to your thread on run ${run.number}`);
  await expect(page.getByRole("link", { name: reply })).toBeVisible();
  await page.keyboard.press("Escape");
  await panel.getByRole("button", { name: "Resolve" }).click();
  await expect(seen.getByTestId("thread-resolved")).toContainText(`Resolved by ${person.username}`);
  await makeNode(context, graph, { name: "Note", type: "NOTE" }).then(({ metadata_id }) =>
    context.request.patch(address(`/api/v3/objects/${metadata_id}`), { form: { description: hostile } }),
  );
  await openEditor(page, path);
  await expectHarmless(page, page.locator('[data-class="note"]'));
  await page.getByRole("button", { name: "Comments", exact: true }).click();
  await panel.getByRole("combobox", { name: "State" }).selectOption("resolved");
  await expect(panel.getByTestId("thread")).toContainText(`Run ${run.number}`);
  expect(elsewhere).toEqual([]);
});
