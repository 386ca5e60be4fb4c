import { expect } from "@playwright/test";

import { card, header, invite, makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { line, typeAfter } from "../drivers/coding.ts";
import { address, newPerson, signIn, test } from "../drivers/people.ts";

const code = `from miranda import Node, Field

class Train(Node):
    rate = Field(0.1)

    def run(self):
        return self.rate * 2
`;

/** Pictures to look at, only when somebody asks for them. */
const pictures = process.env["REVIEW_PICTURES"];

test("two people review a workflow from a phone and a laptop: comment on a line, mention, reply, follow, resolve", async ({
  page,
  context,
  browser,
  person,
}) => {
  // Two people, one after the other.
  test.slow();
  const { graph, project, path } = await makeGraph(context);
  await context.request.patch(address(`/api/v3/projects/${project}`), { form: { visibility: "private" } });
  const node = await makeNode(context, graph, { name: "Train", at: { x: 0, y: 0 }, code });
  const other = await makeNode(context, graph, { name: "Test", at: { x: 900, y: 500 } });
  const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const ben = await signIn(phone, newPerson("Ben"));
  await invite(context, project, ben.username, "viewer");
  const stranger = await signIn(await browser.newContext(), newPerson("Eve"));
  const small = await phone.newPage();

  // On the phone Ben, who may only view, comments on a line of the code and mentions Ada and a stranger.
  await small.goto(address(`${path}/code/${node.metadata_id}`));
  await line(small, "return self.rate").tap();
  await small.getByRole("button", { name: "Comments" }).tap();
  const sheet = small.getByRole("dialog", { name: "Comments" });
  const field = sheet.getByRole("combobox", { name: "Comment on Train, line 7" });
  await field.fill(`Why **twice**? @${stranger.username} @${person.username.slice(0, 5)}`);
  await sheet.getByRole("option", { name: person.username }).tap();
  await expect(field).toHaveValue(`Why **twice**? @${stranger.username} @${person.username} `);

  // Offline the text stays, and is sent once later.
  await phone.setOffline(true);
  await sheet.getByRole("button", { name: "Comment", exact: true }).tap();
  await expect(sheet.getByRole("alert")).toContainText("Not sent. Miranda cannot be reached.");
  await expect(field).toHaveValue(/Why \*\*twice\*\*/);
  await phone.setOffline(false);
  await sheet.getByRole("button", { name: "Comment", exact: true }).tap();
  await expect(small.getByText(`@${stranger.username} cannot read this workflow and was not told.`)).toBeVisible();
  await expect(sheet.getByTestId("thread")).toHaveCount(1);
  if (pictures) await small.screenshot({ path: `${pictures}/phone-list.png` });

  // On the laptop Ada is told, and the notification opens the thread at its line.
  await openEditor(page, path);
  await expect(card(page, "Train").getByTestId("comment-mark")).toHaveText("1");
  await header(page, "Train").hover();
  await expect(page.getByRole("tooltip").getByTestId("last-change")).toContainText("Last changed by Ada Tester");
  await page.getByRole("button", { name: /^Notifications/ }).click();
  await page.getByRole("link", { name: new RegExp(`${ben.username} mentioned you on Train, line 7`) }).click();
  const panel = page.getByTestId("comments");
  await expect(panel.getByTestId("thread-target")).toHaveText("Train, line 7");
  await expect(panel.getByTestId("comment").getByText("twice")).toHaveCSS("font-weight", /[67]00/);
  await expect(page.getByTestId("line-comments")).toHaveText("1");
  await expect(page.getByTestId("cursor-place")).toContainText("Line 7");
  if (pictures) await page.screenshot({ path: `${pictures}/ide-thread.png` });

  // The mark moves with the code. The reply is there on the phone at once.
  await typeAfter(page, "rate = Field", "\nother = 1");
  const markedLine = page.locator(".cm-comments .cm-gutterElement", { has: page.getByTestId("line-comments") });
  await expect
    .poll(async () => {
      const [mark, text] = [await markedLine.boundingBox(), await line(page, "return self.rate").boundingBox()];
      return Math.round(Math.abs((mark?.y ?? 0) - (text?.y ?? 99)));
    })
    .toBeLessThan(6);
  // A thread of a deleted line stays and says so. Undo brings the line back.
  await line(page, "return self.rate").click();
  await page.keyboard.press("Control+Shift+k");
  await expect(panel.getByTestId("thread-gone")).toHaveText("This line was deleted or rewritten.");
  await expect(page.getByTestId("line-comments")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(line(page, "return self.rate")).toBeVisible();
  await expect(panel.getByTestId("thread-gone")).toHaveCount(0);
  await expect(page.getByTestId("line-comments")).toHaveText("1");
  await panel.getByRole("combobox", { name: "Reply" }).fill("Because the rate is halved below.");
  await panel.getByRole("button", { name: "Reply" }).click();
  await expect(panel.getByTestId("comment")).toHaveCount(2);
  await sheet.getByTestId("thread").tap();
  await expect(sheet.getByTestId("comment")).toHaveCount(2);
  await expect(sheet.getByText("Because the rate is halved below.")).toBeVisible();
  if (pictures) await small.screenshot({ path: `${pictures}/phone-thread.png` });

  // Ben follows Ada: from the code to the canvas, and where she looks there.
  await sheet.getByRole("button", { name: "Close the comments" }).tap();
  await small.getByTestId("collaborators").getByRole("button", { name: "Ada Tester" }).tap();
  await expect(small.getByText(`Following ${person.username} · Esc to stop`)).toBeVisible();
  await page.goBack();
  await expect(small.getByTestId("graph-editor")).toBeVisible();
  await page.getByRole("button", { name: /^Fit everything/ }).click();
  await header(page, "Test").click();
  const followed = small.locator(`[data-testid=node][data-node-id="${other.metadata_id}"]`);
  await expect(followed).toBeInViewport({ ratio: 0.99 });
  if (pictures) await small.screenshot({ path: `${pictures}/phone-follow.png` });
  // Following back goes nowhere: it would be a circle.
  await page.getByTestId("collaborators").getByRole("button", { name: "Ben Tester" }).click();
  await expect(page.getByText(`You cannot follow ${ben.username}: ${ben.username} is following you.`)).toBeVisible();
  await expect(page.getByTestId("follow-frame")).toBeHidden();
  // A touch of the canvas ends it. So does Ada when she leaves.
  await small.getByTestId("graph-editor").tap({ position: { x: 200, y: 600 } });
  await expect(small.getByTestId("follow-frame")).toBeHidden();
  await small.getByTestId("collaborators").getByRole("button", { name: "Ada Tester" }).tap();
  await expect(small.getByTestId("follow-frame")).toBeVisible();
  // The notice goes by itself after a moment.
  const stopped = expect(small.getByText(`Stopped following: ${person.username} left.`)).toBeVisible();
  await page.goto(address("/designer/"));
  await stopped;
  await expect(small.getByTestId("follow-frame")).toBeHidden();
  await openEditor(page, path);

  // Ada resolves the thread. A thread of a deleted node stays readable.
  await page.getByRole("button", { name: "Comments (1 open)" }).click();
  if (pictures) await page.screenshot({ path: `${pictures}/canvas-list.png` });
  await panel.getByTestId("thread").click();
  await panel.getByRole("button", { name: "Resolve" }).click();
  await expect(panel.getByTestId("thread-resolved")).toContainText(`Resolved by ${person.username}`);
  await page.getByRole("button", { name: /^Fit everything/ }).click();
  await expect(card(page, "Train")).toBeVisible();
  await expect(card(page, "Train").getByTestId("comment-mark")).toBeHidden();
  await context.request.delete(address(`/api/v3/objects/${node.metadata_id}`));
  await expect(card(page, "Train")).toBeHidden();
  await small.getByRole("button", { name: "Comments" }).tap();
  const later = small.getByRole("dialog", { name: "Comments" });
  await later.getByRole("button", { name: "All comments" }).tap();
  await later.getByRole("combobox", { name: "State" }).selectOption("resolved");
  await later.getByTestId("thread").tap();
  await expect(later.getByTestId("thread-gone")).toHaveText("This node was deleted.");
  await expect(later.getByTestId("comment")).toHaveCount(2);
  if (pictures) {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: `${pictures}/canvas-dark.png` });
    await small.emulateMedia({ colorScheme: "dark" });
    await small.screenshot({ path: `${pictures}/phone-dark.png` });
  }
});

test("a comment stays on the line that it was begun on, wherever the cursor goes meanwhile", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const { metadata_id } = await makeNode(context, graph, { name: "Train", code });
  await page.goto(address(`${path}/code/${metadata_id}`));
  await line(page, "rate = Field").click();
  await page.getByRole("button", { name: "Comments" }).click();
  const panel = page.getByTestId("comments");
  const field = panel.getByRole("combobox", { name: /^Comment on Train, line/ });
  await expect(field).toHaveAccessibleName("Comment on Train, line 4");
  await field.fill("Too fast?");
  await line(page, "return self.rate").click();
  await expect(page.getByTestId("cursor-place")).toContainText("Line 7");
  await expect(panel.getByTestId("comment-about")).toHaveText("Comment on Train, line 4");
  await panel.getByRole("button", { name: "Comment", exact: true }).click();
  await expect(panel.getByTestId("thread")).toContainText("Train, line 4");
  // The list and the thread have the line that it is in now.
  await typeAfter(page, "class Train", "\nlimit = 3\n");
  await expect(panel.getByTestId("thread")).toContainText("Train, line 6");
  await line(page, "return self.rate").click();
  // The next comment is about the line of the cursor again.
  await expect(field).toHaveAccessibleName("Comment on Train, line 9");
});
