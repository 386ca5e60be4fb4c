import { expect, type Page } from "@playwright/test";

import { gitProblem } from "../../scripts/git.ts";
import { GitHost } from "../../server/testing/services/git-host.ts";
import { card, openEditor } from "../drivers/canvas.ts";
import { commit, line, makeFlow, pane, typeAfter } from "../drivers/coding.ts";
import { test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";
import { endSessions, giveToken } from "../drivers/sessions.ts";

const code = (word: string) => `from miranda import Node


class Train(Node):
    def run(self):
        print("${word}")
`;

// This test needs a server that trusts the git host's certificate.
let host: GitHost | undefined;
let product: Product | undefined;
const usual = process.env["E2E_URL"];

test.skip(gitProblem() !== undefined, "There is no git here.");
test.beforeAll(async () => {
  host = await GitHost.open();
  host.users.set("ada", "hunter2");
  const trust = { SSL_CERT_FILE: host.authority, MIRANDA_PROCESSOR_ALLOW: new URL(host.url("any")).host };
  product = await startProduct({ MIRANDA_ENGINE: "local", ...trust });
  process.env["E2E_URL"] = product.url;
});
test.afterAll(async () => {
  await product?.stop();
  await host?.close();
  if (usual) process.env["E2E_URL"] = usual;
});
test.afterEach(({ context }) => endSessions(context));

async function git(page: Page, command: string): Promise<void> {
  await page.getByRole("button", { name: "Git", exact: true }).click();
  await page.getByRole("menuitem", { name: command, exact: true }).click();
}

// When the log is open, it shows the same lines.
const notifications = (page: Page) => page.getByRole("region", { name: /^Notifications/ });

async function answer(page: Page, words: string, before = ""): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "A node asks for a password" });
  const field = dialog.getByLabel(`${before}Password or token for localhost/nodes (or name:password)`, { exact: true });
  await expect(field).toHaveValue("");
  await field.fill(words);
  await dialog.getByRole("button", { name: "Send" }).click();
  await expect(field).toHaveCount(0);
}

test("S7-068 S7-069 S7-070 sets a node's repository, pulls, edits, commits and pushes", async ({
  page,
  context,
  person: _person,
}) => {
  test.setTimeout(120_000);
  if (!host) throw new Error("no host");
  await host.create("nodes", { "train.py": code("one") });
  const { base, nodes } = await makeFlow(context);
  await giveToken(context);

  await page.goto(`${base}/${nodes.Train}`);
  await page.getByRole("button", { name: "Git", exact: true }).click();
  await expect(page.getByRole("menuitem", { name: "Pull", exact: true })).toBeDisabled();
  await expect(page.getByText("This node has no git repository. Set it in its properties.")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 390, height: 800 });
  await expect(page.getByRole("button", { name: "Git", exact: true })).toBeHidden();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await expect(page.getByRole("menuitem", { name: "Push", exact: true })).toBeDisabled();
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1280, height: 800 });

  await openEditor(page, new URL(base).pathname.replace(/\/code$/, ""));
  await card(page, "Train").click();
  const repository = page.getByLabel(/^Repository/);
  await repository.fill("http://example.org/x");
  await expect(page.getByText("A git repository has an https or ssh address.")).toBeVisible();
  await expect(repository).toHaveValue("http://example.org/x");
  // Wait until the change is saved: leaving the page before would cancel it.
  const saved = page.waitForResponse((answer) => answer.request().method() === "PATCH" && answer.ok());
  await repository.fill(`${host.url("nodes")}#train.py`);
  await repository.blur();
  await saved;
  await expect(page.getByText("A git repository has an https or ssh address.")).toHaveCount(0);

  await page.goto(`${base}/${nodes.Train}`);
  await expect(line(page, "total = 0")).toBeVisible();
  await git(page, "Pull");
  await answer(page, "ada:wrong");
  await answer(page, "ada:hunter2", "That was refused. ");
  await expect(line(page, 'print("one")')).toBeVisible();
  await expect(notifications(page).getByText(/Pulled Train from localhost\/nodes@/)).toBeVisible();
  await page.getByRole("link", { name: "History" }).click();
  await expect(page.getByTestId("commit").first()).toContainText("Pulled from localhost/nodes@");
  await page.getByRole("link", { name: "Code", exact: true }).click();

  await typeAfter(page, 'print("one")', '\nprint("two")');
  await commit(page, "Say two as well");
  await expect(pane(page)).toBeVisible();
  await git(page, "Push");
  await answer(page, "ada:hunter2");
  await expect(notifications(page).getByText(/Pushed Train to localhost\/nodes@/)).toBeVisible();
  expect(await host.show("nodes", "train.py")).toContain('        print("two")');
  expect((await host.git("nodes", "log", "-1", "--format=%s")).trim()).toBe("Say two as well");

  await host.commit("nodes", { "train.py": code("three") }, "Theirs");
  await typeAfter(page, 'print("two")', '\nprint("mine")');
  await commit(page, "Mine");
  await git(page, "Soft pull");
  await answer(page, "ada:hunter2");
  const refusal = page.getByRole("dialog", { name: "Nothing was pulled" });
  await expect(refusal).toContainText("Train has commits of its own since the last pull");
  await expect(refusal).toContainText('+        print("three")');
  await refusal.getByRole("button", { name: "Pull anyway" }).click();
  await answer(page, "ada:hunter2");
  await expect(line(page, 'print("three")')).toBeVisible();
});
