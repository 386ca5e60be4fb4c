import { expect, type Page } from "@playwright/test";

import { card, header, makeNode, openEditor, spot } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { test } from "../drivers/people.ts";

test("S4-018 S7-098 shows a person with two tabs once, with one pointer, where they were last", async ({
  page,
  context,
  browser,
  person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  await makeNode(context, graph, { name: "Train", at: { x: 380, y: 0 } });
  const [first, second] = [page, await context.newPage()];
  for (const one of [first, second, ben.page]) {
    await openEditor(one, path);
    await expect(one.getByTestId("node")).toHaveCount(2);
  }
  const pointer = ben.page.getByTestId("cursor");
  /** All three windows have the same size and show the same place, so a point is the same in each. */
  const pointsAt = async (from: Page, across: number, down: number) => {
    const at = await spot(from, across, down);
    await expect
      .poll(async () => {
        // Again each time: a tab that learns only now that Ben came says that it has no pointer.
        await from.mouse.move(at.x + 1, at.y);
        await from.mouse.move(at.x, at.y);
        if ((await pointer.count()) !== 1) return false;
        const box = await pointer.boundingBox({ timeout: 1_000 }).catch(() => null);
        return box !== null && Math.hypot(box.x - at.x, box.y - at.y) < 12;
      })
      .toBe(true);
    await expect(pointer).toHaveCount(1);
    await expect(pointer).toContainText(person.username);
  };
  await pointsAt(first, 0.3, 0.75);
  await pointsAt(second, 0.6, 0.2);
  await pointsAt(first, 0.35, 0.7);

  // The tab in use also publishes the selection.
  const named = (name: string) => card(ben.page, name).getByText(person.username);
  await header(first, "Load").click();
  await expect(named("Load")).toBeVisible();
  await header(second, "Train").click();
  await expect(named("Train")).toBeVisible();
  await expect(named("Load")).toHaveCount(0);

  // Nobody sees their own pointer; both tabs show the other person.
  for (const one of [first, second]) {
    await expect(one.getByTestId("cursor").filter({ hasText: person.username })).toHaveCount(0);
    await expect(card(one, "Train").getByText(person.username)).toHaveCount(0);
  }
  const at = await spot(ben.page, 0.5, 0.8);
  await ben.page.mouse.move(at.x, at.y);
  for (const one of [first, second]) await expect(one.getByTestId("cursor")).toHaveText(ben.person.username);

  // When one tab closes, the person stays, shown by the other tab. When both are closed, nothing of them is left.
  const people = ben.page.getByTestId("collaborators").getByRole("listitem");
  await expect(people).toHaveCount(2);
  await second.close();
  await pointsAt(first, 0.4, 0.8);
  await expect(named("Load")).toBeVisible();
  await expect(named("Train")).toHaveCount(0);
  await expect(people).toHaveCount(2);
  await first.close();
  await expect(people).toHaveCount(1);
  await expect(pointer).toHaveCount(0);
  await expect(named("Load")).toHaveCount(0);
});
