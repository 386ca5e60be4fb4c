import type { PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { Model } from "@miranda/contract/schemas/models/models.ts";
import type { ExceptionEvent, NodeOutput } from "@miranda/contract/schemas/processors.ts";
import type { Blueprint, Prefab } from "@miranda/contract/schemas/library/templates.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { asksFor, hasPackageIndex } from "../../testing/services/package-index.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function findId(bench: Workbench, shelf: "prefabs" | "blueprints", name: string): Promise<string> {
  const found = await bench.owner.get(`/api/v3/${shelf}?limit=500&query=${encodeURIComponent(name)}`);
  const one = found.json<(Prefab | Blueprint)[]>().find((template) => template.name === name);
  if (!one) throw new Error(`There is no template ${name}.`);
  return one.id;
}

async function addBlueprint(bench: Workbench, name: string, y: number): Promise<PasteResponse> {
  const blueprint = await findId(bench, "blueprints", name);
  const form = { project_id: bench.graphId, blueprint, position: JSON.stringify({ x: 0, y }), update_policy: "linked" };
  return (await bench.owner.post("/api/v3/objects/clone/blueprint", form)).json<PasteResponse>();
}

it.skipIf(!hasPackageIndex)(
  "blueprints run in a real session, and a node whose packages conflict with theirs is named",
  { timeout: 300_000 },
  async () => {
    const bench = await Workbench.open(server);
    const iris = await addBlueprint(bench, "Iris: your first model", 0);
    await addBlueprint(bench, "Sales report", 2000);
    await bench.start();
    expect((await bench.run()).workflow_state).toBe("READY");
    expect(bench.listener.all<ExceptionEvent>("exception").map(({ traceback }) => traceback)).toEqual([]);
    const shown = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/outputs?last=true`)).json<NodeOutput[]>();
    const named = (name: string) => Object.values(iris.nodes).find((node) => node.name === name)?.metadata_id;
    const pictures = shown.filter(({ data }) => "image/png" in data).map(({ wob_key }) => wob_key);
    expect(pictures).toEqual(expect.arrayContaining([named("Petals"), named("Confusion matrix")]));
    const { json: models } = (await bench.owner.get("/api/v3/models/")).json<{ json: Model[] }>();
    expect(models.map(({ name }) => name)).toEqual(["Iris"]);

    await bench.node(asksFor("pandas<2") + script("pass"), "Old code");
    await bench.run();
    const { traceback } = await bench.listener.wait<ExceptionEvent>("exception");
    const last = traceback.trimEnd().split("\n").at(-1);
    expect(last).toMatch(
      /^PackageError: pandas>=2\.2,<4 \(.+ and \d+ more\) and pandas<2 \(Old code\) cannot be installed together\.$/,
    );
    await bench.until("stop", "", "EXITED");
    bench.close();
  },
);
