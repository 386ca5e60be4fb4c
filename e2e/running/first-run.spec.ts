import { expect, type Page } from "@playwright/test";

import { addAt, makeGraph, openEditor } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, label } from "../drivers/sessions.ts";

const hasPackageIndex = await fetch("https://pypi.org/simple/pandas/", { signal: AbortSignal.timeout(10_000) }).then(
  ({ ok }) => ok,
  () => false,
);

test.skip(!hasPackageIndex, "The package index at pypi.org does not answer.");
test.afterEach(({ context }) => endSessions(context));

const frame = `import pandas as pd
from miranda import Node
class Frame(Node):
    def run(self):
        print("first ran") or self.show(pd.DataFrame({"port": ["Brest", "Dover"], "tide": [6.8333333333333334, 5.1]}))
`;

const search = `import time
from miranda import Field, Node
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV


class Slow(LogisticRegression):
    def fit(self, rows, labels):
        time.sleep(self.C)
        return super().fit(rows, labels)


class Search(Node):
    seconds = Field(0.01)

    def run(self):
        rows, labels = make_classification(random_state=0)
        grid = GridSearchCV(Slow(), {"C": [self.seconds, self.seconds * 2]}, n_jobs=2, cv=2)
        print("fitting")
        grid.fit(rows, labels)
        self.show({"best": grid.best_score_})
`;

// scikit-learn with all it needs is 60 MB, which take minutes over a slow connection.
const downloadTimeout = 300_000;

const dock = (page: Page) => page.getByTestId("code-dock");
const outputs = (page: Page) => dock(page).getByRole("region", { name: "Outputs" });

async function addNodeAndOpenCode(page: Page, across: number, down: number): Promise<void> {
  const cards = page.getByTestId("node");
  const before = await cards.count();
  await addAt(page, across, down);
  await expect(cards).toHaveCount(before + 1);
  // The new node is selected once the server has created it. Before that, Enter would open nothing.
  await expect(cards.last()).toHaveAttribute("data-selected", "true");
  await page.keyboard.press("Enter");
}

/** Pastes text into the open code. */
async function write(page: Page, text: string): Promise<void> {
  const code = dock(page).getByTestId("code-pane").locator(".cm-content");
  await expect(code).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

test("runs five lines to a table, then interrupts, changes and reruns a search on two cores", async ({
  page,
  context,
  person: _person,
}) => {
  test.setTimeout(2 * downloadTimeout + 180_000);
  const { path } = await makeGraph(context);
  await openEditor(page, path);
  await addNodeAndOpenCode(page, 0.3, 0.3);
  await write(page, frame);
  await runButton(page).first().click();
  const table = outputs(page).getByRole("table");
  await expect(table).toContainText("Brest", { timeout: downloadTimeout });
  await expect(table).toContainText("6.833");
  await expect(table).not.toContainText("6.8333333333333");
  await expect(label(page)).toHaveText("Ready");

  await dock(page).getByRole("button", { name: "Close the code" }).click();
  await addNodeAndOpenCode(page, 0.42, 0.8);
  await write(page, search);
  await page.keyboard.press("F5");
  await expect(outputs(page)).toContainText("best", { timeout: downloadTimeout });
  await expect(label(page)).toHaveText("Ready");
  // The first node ran in the first run only.
  await expect(page.getByTestId("log-lines").getByText("first ran")).toHaveCount(1);

  const field = page.getByRole("textbox", { name: "seconds in the inspector" });
  await dock(page).getByRole("button", { name: "Close the code" }).click();
  await field.fill("100");
  await field.press("Enter");
  await runButton(page).first().click();
  await expect(page.getByTestId("log-lines").getByText("fitting")).toHaveCount(2);
  await page.getByRole("button", { name: "Interrupt" }).first().click();
  await expect(label(page)).toHaveText("Ready");
  await expect(page.getByTestId("log-lines").getByText("Interrupted")).toBeVisible();
  await field.fill("0.02");
  await field.press("Enter");
  await runButton(page).first().click();
  await expect(page.getByTestId("log-lines").getByText("fitting")).toHaveCount(3);
  // The processes of the search were interrupted too: new ones have to import scikit-learn.
  await expect(label(page)).toHaveText("Ready", { timeout: 60_000 });
  await expect(page.getByTestId("log-lines").getByText("first ran")).toHaveCount(1);
});
