import { expect } from "@playwright/test";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { dockerProblem, processorImage, TestDocker } from "../../server/testing/services/docker.ts";
import { address, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";
import { endSessions, giveToken, label, makeProgram, openProcessor, storeBreakpoints } from "../drivers/sessions.ts";

const program = `from miranda import Node
import os, time

class Count(Node):
    def run(self):
        print("counting begins as", os.getuid())
        total = sum(range(10))
        self.log.warning("total is %d", total)
        time.sleep(600)
`;

// This test starts its own server and Docker Engine. The other journeys use whatever engine this machine has.
let docker: TestDocker | undefined;
let product: Product | undefined;
const usual = process.env["E2E_URL"];

test.skip(dockerProblem() !== undefined, "Docker cannot run here.");
test.beforeAll(async () => {
  test.setTimeout(180_000);
  docker = await TestDocker.start();
  await docker.buildProcessorImage();
  const environment = { MIRANDA_ENGINE: "docker", DOCKER_HOST: docker.host, MIRANDA_PROCESSOR_IMAGE: processorImage };
  product = await startProduct(environment);
  process.env["E2E_URL"] = product.url;
});
test.afterAll(async () => {
  await product?.stop();
  await docker?.close();
  if (usual) process.env["E2E_URL"] = usual;
});
test.afterEach(({ context }) => endSessions(context));

test("S1-013 runs, stops at a breakpoint, logs, shows the cost and force-stops on Docker", async ({
  page,
  context,
  person: _person,
}) => {
  test.setTimeout(120_000);
  const { graph, nodes, path } = await makeProgram(context, program);
  const [node = 0] = nodes;
  await giveToken(context);
  await storeBreakpoints(page, graph, { [node]: [8] });
  await page.goto(address(path));
  await openProcessor(page);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(label(page)).toHaveText("Ready");
  const answer = await context.request.get(address(`/api/v3/graphs/${graph}/processor`));
  const { container_id } = (await answer.json()) as JobSummary;
  const containers = await docker?.client.listContainers();
  expect(containers?.map(({ Id }) => Id)).toEqual([container_id]);

  await page.getByRole("button", { name: "Run", exact: true }).click();
  const hit = page.getByRole("region", { name: "Breakpoint hit" });
  await expect(hit).toContainText(`Node ${node}, line 8`);
  await expect(hit.getByRole("treeitem", { name: "total: 45" })).toBeVisible();
  await page.keyboard.press("F5");
  await expect(label(page)).toHaveText("Running");
  const lines = page.getByTestId("log-lines");
  await expect(lines).toContainText("This processor runs as a container of the image");
  await expect(lines).toContainText("counting begins as 10001");
  await expect(lines).toContainText("total is 45");
  await expect(page.getByTestId("session-cost")).toContainText(/\d/);

  await page.getByRole("button", { name: "Force Stop" }).click();
  await expect(label(page)).toHaveText("Exited");
  await expect
    .poll(async () => (await docker?.client.listContainers({ all: true }))?.length, { timeout: 20_000 })
    .toBe(0);
});
