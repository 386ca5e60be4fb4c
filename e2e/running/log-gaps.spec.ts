import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";

import { openBreakableWay } from "../drivers/breakable-way.ts";
import { test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, label, makeProgram } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

const count = 40_000;

/** Prints 4,000 numbered lines a second. */
const printing = `import time
from miranda import Node

class Count(Node):
    def run(self):
        began = time.monotonic()
        for at in range(${count}):
            print("line", at)
            if at % 400 == 399:
                time.sleep(max(0, began + at / 4000 - time.monotonic()))
`;

/** The numbers of the printed lines that the panel has, in its order. */
async function shownNumbers(page: Page): Promise<number[]> {
  const saved = page.waitForEvent("download");
  await page.getByRole("region", { name: "Logs" }).getByRole("button", { name: "Download" }).click();
  const text = await readFile(await (await saved).path(), "utf8");
  return [...text.matchAll(/\bline (\d+)$/gm)].map(([, number]) => Number(number));
}

const all = Array.from({ length: count }, (_, at) => at);

for (const [what, seconds] of [
  ["cut", 1],
  ["cut", 4],
  ["stall", 3],
] as const) {
  test(`shows every line once after the connection was ${what === "cut" ? "cut" : "stalled"} for ${seconds} s`, async ({
    page,
    context,
    person: _person,
  }) => {
    const way = await openBreakableWay();
    const { path } = await makeProgram(context, printing);
    await giveToken(context);
    await page.goto(way.at(path));
    await runButton(page).click();
    await expect(page.getByTestId("log-lines")).toContainText("line ", { timeout: 30_000 });
    await page.waitForTimeout(1_500);
    way[what]();
    await page.waitForTimeout(seconds * 1_000);
    way.mend();
    await expect(label(page)).toHaveText("Ready", { timeout: 60_000 });
    await expect(page.getByTestId("log-gap")).toHaveCount(0);
    await expect.poll(async () => (await shownNumbers(page)).length, { timeout: 20_000 }).toBe(count);
    expect(await shownNumbers(page)).toEqual(all);
    await way.close();
  });
}
