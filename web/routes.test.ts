import { matchRoutes } from "react-router";
import { describe, expect, it } from "vitest";

import { routes } from "./routes.tsx";

const graph = "/designer/projects/p/graphs/g";

function matched(path: string) {
  return matchRoutes(routes, path) ?? [];
}

describe("the route table", () => {
  it.each([
    "/",
    "/login",
    "/register",
    "/onboarding",
    "/onboarding/x",
    "/designer",
    "/designer/",
    "/designer/new",
    "/designer/browse",
    "/designer/projects/p",
    "/designer/projects/p/graphs/new",
    graph,
    `${graph}/history`,
    `${graph}/compare`,
    `${graph}/merge`,
    `${graph}/code`,
    `${graph}/code/w`,
    `${graph}/code/w/history`,
    `${graph}/code/w/history/c`,
    "/designer/projects/p/deployments/g",
    "/account/first-start",
    "/designer/processors",
    "/designer/processors/j",
    "/designer/models",
    "/designer/models/trash",
    "/designer/models/m",
    "/designer/models/m/charts",
    "/designer/models/m/files",
    "/designer/models/m/use",
    "/designer/models/m/history",
    "/designer/models/m/lineage",
    "/designer/models/m/compare",
    "/designer/models/m/compare/charts",
    "/designer/models/m/compare/changes",
    "/designer/models/m/compare/outputs",
    "/designer/models/m/compare/plots",
    "/designer/runs",
    "/designer/projects/p/runs",
    "/designer/projects/p/experiments",
    "/designer/projects/p/experiments/0",
    "/designer/projects/p/experiments/0/compare",
    "/designer/projects/p/experiments/0/runs/r",
    "/designer/runs/r",
    "/designer/runs/r/graph",
    "/designer/runs/r/log",
    "/designer/runs/r/metrics",
    "/designer/runs/r/compare/o",
    "/designer/runs/r/compare/o/changes",
    "/designer/runs/r/compare/o/outputs",
    "/designer/runs/r/compare/o/packages",
    "/explorer",
    "/explorer/",
    "/explorer/x/y",
    "/explorer/apps/a",
    "/explorer/apps/a/runs/r",
    "/explorer/apps/a/history",
    "/explorer/links/l",
    "/explorer/links/l/runs/r",
    "/explorer/results/s",
    "/embed/a",
    "/embed/a/runs/r",
    "/embed/links/l",
    "/embed/links/l/runs/r",
    "/account",
    "/account/billing",
    "/account/admin",
    "/docs",
    "/docs/sdk",
  ])("has its own lazily loaded screen at %s", (path) => {
    const screen = matched(path).at(-1)?.route;
    expect(screen?.path).not.toBe("*");
    expect(screen?.lazy).toBeTypeOf("function");
  });

  it("does not match the new-workflow page as a graph", () => {
    expect(matched("/designer/projects/p/graphs/new").at(-1)?.params).toEqual({ projectId: "p" });
  });

  it.each(["/designer/nothing", "/account/nothing", "/nothing"])("has no screen at %s", (path) => {
    expect(matched(path).at(-1)?.route.path).toBe("*");
  });

  it("S2-026 puts graphs and deployments under the same providers", () => {
    const providers = [graph, `${graph}/code/w`, "/designer/projects/p/deployments/g"].map(
      (path) => matched(path).at(-2)?.route,
    );
    expect(providers[0]?.lazy).toBeTypeOf("function");
    expect(new Set(providers).size).toBe(1);
  });
});
