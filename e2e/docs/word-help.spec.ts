import { expect } from "@playwright/test";

import { line, makeFlow, pane } from "../drivers/coding.ts";
import { address, test } from "../drivers/people.ts";

test("opens the handbook at the name of the SDK under the cursor", async ({ page, context, person: _person }) => {
  const { base, nodes } = await makeFlow(context);
  await page.goto(`${base}/${nodes.Train}`);
  await expect(pane(page)).toContainText("class Train");
  const help = async () => {
    const opened = context.waitForEvent("page");
    await page.keyboard.press("F1");
    return opened;
  };

  await line(page, "model = Transmitter").click();
  await page.keyboard.press("End");
  for (let step = 0; step < '("model")'.length + 2; step++) await page.keyboard.press("ArrowLeft");
  const entry = await help();
  await expect(entry).toHaveURL(address("/docs/sdk#Transmitter"));
  await expect(entry.locator('[id="Transmitter"]')).toBeInViewport();
  await entry.close();

  await line(page, "total = 0").click();
  await page.keyboard.press("Home");
  const other = await help();
  await expect(other).toHaveURL(address("/docs/writing-nodes"));
});
