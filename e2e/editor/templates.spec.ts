import { expect } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { card, header, makeEdge, makeGraph, makeNode, openEditor, stored } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { load, runButton } from "../drivers/running.ts";
import { endSessions, giveToken } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

const total = (factor: number) => `from miranda import Node, Receiver


class Total(Node):
    rows = Receiver("table")

    def run(self):
        self.show({"total": sum(row["tide"] for row in self.rows) * ${factor}})
`;

test("publishes a newer version, tries it with the node's last inputs, takes it, and withdraws the template", async ({
  page,
  context,
  person,
}) => {
  const { graph, path } = await makeGraph(context);
  const name = `Total ${person.username}`;
  const source = await makeNode(context, graph, { name: "Load", code: load });
  const original = await makeNode(context, graph, { name, code: total(1), at: { x: 0, y: 320 } });
  const published = await context.request.post(address("/api/v3/prefabs"), {
    form: { metadata_id: original.metadata_id, public: "true" },
  });
  const prefab = (await published.json()) as { id: string };
  const cloned = await context.request.post(address(`/api/v3/objects/clone/${prefab.id}`), {
    form: { project_id: graph, position: '{"x":420,"y":0}' },
  });
  const copy = (await cloned.json()) as { metadata_id: number };
  await context.request.patch(address(`/api/v3/objects/${copy.metadata_id}`), { form: { name: "Sum up" } });
  await makeEdge(context, source, "rows", copy, "rows");
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(card(page, "Sum up")).toContainText("66");

  // The owner changes the node and publishes it as the next version.
  await context.request.put(address(`/api/v3/objects/${original.metadata_id}/api`), {
    form: { source_code: total(2) },
  });
  await page.reload();
  await expect(card(page, name)).toBeVisible();
  // Everything is in view then, also beside the log.
  await page.keyboard.press("1");
  await header(page, name).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Publish as a newer version of…" }).click();
  const publish = page.getByTestId("publish-newer");
  await expect(publish.getByTestId("diff")).toContainText("* 2");
  await expect(publish).toContainText("Used by 1 node in 1 workflow.");
  await audit(page, "publishing a newer version", "[data-testid=publish-newer]");
  await publish.getByLabel("What is new").fill("Counts twice.");
  await publish.getByRole("button", { name: "Publish version 2" }).click();
  await expect(page.getByText(`Version 2 of “${name}” is published.`)).toBeVisible();

  // A person who uses the template looks at the newer version, tries it, and takes it.
  await page.reload();
  const offered = page.getByTestId("node").filter({ has: page.getByLabel("Newer code is available") });
  await expect(offered).toHaveCount(1);
  await offered.getByTestId("node-name").click();
  await page.getByRole("button", { name: "See it" }).click();
  const update = page.getByTestId("template-update");
  await expect(update.getByRole("list", { name: "Versions" })).toContainText("Counts twice.");
  await update.getByRole("button", { name: "Try it" }).click();
  await expect(update.getByRole("region", { name: "Version 2" })).toContainText("132");
  await expect(update.getByRole("region", { name: "Now" })).toContainText("66");
  expect((await stored(context, graph)).nodes[copy.metadata_id]?.source_code).toBe(total(1));
  await audit(page, "a newer version of a template", "[data-testid=template-update]");
  await update.getByRole("button", { name: "Use the newer code" }).click();
  await expect(offered).toHaveCount(0);
  expect((await stored(context, graph)).nodes[copy.metadata_id]?.source_code).toBe(total(2));

  await page.getByRole("button", { name: /^Library/ }).click();
  const library = page.getByTestId("library");
  await library.getByRole("searchbox").fill(name);
  await expect(library.getByTestId("library-item")).toHaveCount(1);
  await library.getByRole("button", { name: "Your templates" }).click();
  const own = page.getByRole("dialog", { name: "Your templates" });
  await expect(own.getByRole("list", { name: "Versions" })).toContainText("Counts twice.");
  await expect(own.getByRole("link", { name: "Tides / Forecast" })).toBeVisible();
  await own.getByRole("button", { name: "Withdraw" }).click();
  await expect(own.getByRole("button", { name: "Offer again" })).toBeVisible();
  await audit(page, "one's own templates", "[data-testid=own-templates]");
  await page.keyboard.press("Escape");
  await expect(library.getByTestId("library-item")).toHaveCount(0);
});
