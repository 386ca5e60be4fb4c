import { describe, expect, it } from "vitest";

import { chosenRuns, withBrush } from "./brushes.ts";
import { axesOf, isVaried, marksOf, placeOf, type PlotItem, valueWords, wordsAt } from "./plot-axes.ts";

const run = (id: string, params: Record<string, string>, metrics: Record<string, number | null> = {}): PlotItem => ({
  id,
  name: id,
  address: `/${id}`,
  params,
  metrics,
});

const runs = [
  run("a", { rate: "0.0001", solver: "lbfgs", depth: "3" }, { loss: 0.5, accuracy: 0.9 }),
  run("b", { rate: "0.01", solver: "saga", depth: "3" }, { loss: null, accuracy: 0.8 }),
  run("c", { rate: "1", solver: "lbfgs", depth: "3" }, { accuracy: 0.7 }),
];
const axes = axesOf(runs);
const axis = (label: string) => {
  const found = axes.find((one) => one.label === label);
  if (!found) throw new Error(`There is no axis ${label}.`);
  return found;
};

describe("the axes of a plot", () => {
  it("has parameters first, then metrics, as numbers where all values are numbers", () => {
    expect(axes.map(({ label, type }) => `${label} ${type}`)).toEqual([
      "rate numbers",
      "solver texts",
      "depth numbers",
      "loss numbers",
      "accuracy numbers",
    ]);
    expect(axes.filter((one) => isVaried(one, runs)).map(({ label }) => label)).not.toContain("depth");
  });

  it("uses a log scale for positive numbers of very different size", () => {
    expect(axis("rate")).toMatchObject({ isLog: true });
    expect(runs.map((one) => placeOf(axis("rate"), one))).toEqual([0, 0.5, 1]);
    expect(wordsAt(axis("rate"), 0.5)).toBe("0.01");
    expect(marksOf(axis("rate")).map(({ words }) => words)).toContain("0.01");
  });

  it("puts texts at equal distances, and an only value in the middle", () => {
    expect(runs.map((one) => placeOf(axis("solver"), one))).toEqual([0, 1, 0]);
    expect(placeOf(axis("depth"), run("d", { depth: "3" }))).toBe(0.5);
  });

  it("has no place for a missing value, NaN or an infinity", () => {
    expect(runs.map((one) => placeOf(axis("loss"), one))).toEqual([0.5, undefined, undefined]);
    expect(runs.map((one) => valueWords(axis("loss"), one))).toEqual(["0.5", "–", "–"]);
    expect(axesOf([run("n", {}, { broken: null })])).toEqual([]);
    expect(axesOf([run("n", { broken: "NaN" })])).toMatchObject([{ type: "texts", texts: ["NaN"] }]);
  });

  it("leaves out texts of too many kinds", () => {
    const many = Array.from({ length: 60 }, (_, at) => run(`r${at}`, { note: `text ${at}` }));
    expect(axesOf(many)).toEqual([]);
  });
});

describe("choosing on axes", () => {
  it("keeps the runs within every choice", () => {
    const brushes = withBrush(withBrush(new Map(), "param solver", [-0.2, 0.3]), "metric accuracy", [1, 0.5]);
    expect(chosenRuns(runs, axes, brushes).map(({ id }) => id)).toEqual(["a"]);
    expect(chosenRuns(runs, axes, new Map())).toHaveLength(3);
  });

  it("leaves out runs without a value, and takes a choice back with a click", () => {
    const brushes = withBrush(new Map(), "metric loss", [0, 1]);
    expect(chosenRuns(runs, axes, brushes).map(({ id }) => id)).toEqual(["a"]);
    expect(withBrush(brushes, "metric loss", [0.4, 0.401]).size).toBe(0);
  });
});
