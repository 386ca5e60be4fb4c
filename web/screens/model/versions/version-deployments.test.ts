import { expect, it } from "vitest";

import { deploymentsOf } from "./version-deployments.ts";

const deployments = ["@champion", "/2", "/latest", "/Production", "@canary", "/1"].map((version) => ({
  id: version,
  title: version,
  graph_id: "g",
  project_id: "p",
  uri: `models:/tides${version}`,
}));
const model = { name: "tides", latest_version: 2, deployments };
const uses = (version: { number: number; aliases: string[]; stage: string }) =>
  deploymentsOf(model, version).map(({ id }) => id);

it("finds deployments that load a version by its number, alias or stage, or as the latest", () => {
  expect(uses({ number: 2, aliases: ["champion"], stage: "Production" })).toEqual([
    "@champion",
    "/2",
    "/latest",
    "/Production",
  ]);
  expect(uses({ number: 1, aliases: [], stage: "None" })).toEqual(["/1"]);
});
