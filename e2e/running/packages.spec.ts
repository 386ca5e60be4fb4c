import { expect } from "@playwright/test";

import { openEditor } from "../drivers/canvas.ts";
import { editor, pane } from "../drivers/coding.ts";
import { address, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, label, makeProgram } from "../drivers/sessions.ts";

const hasPackageIndex = await fetch("https://pypi.org/simple/pandas/", { signal: AbortSignal.timeout(10_000) }).then(
  ({ ok }) => ok,
  () => false,
);

test.skip(!hasPackageIndex, "The package index at pypi.org does not answer.");
test.afterEach(({ context }) => endSessions(context));

const frame = `import botocore
from miranda import Node


class Frame(Node):
    def run(self):
        print("version", bool(botocore.__version__))
`;

test("adds a missing package from the exception, and installs it in the next run", async ({
  page,
  context,
  person: _person,
}) => {
  test.setTimeout(240_000);
  const { nodes, path } = await makeProgram(context, frame);
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  const exception = page.getByRole("region", { name: "Exception" });
  await expect(exception).toContainText("No module named 'botocore'", { timeout: 60_000 });
  await exception.getByRole("button", { name: "Add botocore to this node" }).click();
  await expect(exception).toHaveCount(0);
  await expect(label(page)).toHaveText("Ready");
  await runButton(page).click();
  const installing = page.getByTestId("installing");
  await expect(installing).toContainText(/Installing \d+ packages?…/);
  await expect(installing.getByRole("progressbar", { name: "Packages installed" })).toBeVisible();
  // People who open the graph later see it too.
  await page.reload();
  await expect(page.getByTestId("log-lines")).toContainText("version True", { timeout: 180_000 });
  await expect(page.getByTestId("log-lines")).toContainText("Installing botocore");
  await expect(installing).toHaveCount(0);
  const answer = await context.request.get(address(`/api/v3/objects/${nodes[0]}/commits`));
  const { commits } = (await answer.json()) as { commits: { message: string }[] };
  expect(commits.map(({ message }) => message)).toEqual(["Add botocore"]);
});

test("offers a quick fix for a missing import in the editor", async ({ page, context, person: _person }) => {
  test.setTimeout(120_000);
  const { nodes, path } = await makeProgram(
    context,
    'import os\nimport sklearn\nfrom miranda import Node\n\n\nclass Fit(Node):\n    """Fits."""\n\n    def run(self):\n        print(os, sklearn)\n',
  );
  await page.goto(address(`${path}/code/${nodes[0]}`));
  const wrong = pane(page).locator(".cm-lintRange-warning", { hasText: "sklearn" });
  await expect(wrong).toBeVisible({ timeout: 60_000 });
  await wrong.hover();
  await page.getByRole("button", { name: "Add scikit-learn to this node" }).click();
  await expect(editor(page)).toContainText('# dependencies = ["scikit-learn"]');
  // It can be undone like typed text.
  await page.keyboard.press("ControlOrMeta+z");
  await expect(editor(page)).not.toContainText("dependencies");
});
