import type { BrowserContext } from "@playwright/test";

import { makeEdge, makeNode } from "../drivers/canvas.ts";
import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";
import { chart, clean, forecast, measure, train, warn, weather } from "./water-nodes.ts";

interface WaterWorkflow {
  project: string;
  graph: string;
  path: string;
  /** The number of the node that trains. */
  train: number;
}

export async function makeWater(context: BrowserContext): Promise<WaterWorkflow> {
  const project = await makeProject(
    context,
    "Waste Water Management",
    "Knows the level of every basin two days ahead, and warns before one runs over.",
  );
  const graph = await makeWorkflow(context, project, "Level forecast", "From the sensors to a warning.");
  const add = (name: string, code: string, x: number, y: number) =>
    makeNode(context, graph, { name, code, at: { x, y } });
  const first = await add("Measure", measure, 0, 0);
  const rain = await add("Weather", weather, 0, 350);
  const second = await add("Clean", clean, 310, 60);
  const third = await add("Train", train, 620, -190);
  const fourth = await add("Forecast", forecast, 930, 60);
  const fifth = await add("Chart", chart, 1240, -110);
  const last = await add("Warn", warn, 1240, 260);
  await makeEdge(context, first, "rows", second, "rows");
  await makeEdge(context, rain, "rain", second, "rain");
  await makeEdge(context, second, "good", third, "rows");
  await makeEdge(context, second, "good", fourth, "rows");
  await makeEdge(context, third, "model", fourth, "model");
  await makeEdge(context, second, "good", fifth, "rows");
  await makeEdge(context, fourth, "levels", fifth, "levels");
  await makeEdge(context, fourth, "levels", last, "levels");
  return { project, graph, path: `/designer/projects/${project}/graphs/${graph}`, train: third.metadata_id };
}
