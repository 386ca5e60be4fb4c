import type { BlueprintPlan } from "./blueprint-plan.ts";

const flowers = `length,width,label
1.4,0.2,setosa
1.3,0.2,setosa
1.5,0.2,setosa
1.7,0.4,setosa
1.6,0.2,setosa
1.4,0.3,setosa
4.7,1.4,versicolor
4.5,1.5,versicolor
4.9,1.5,versicolor
4.0,1.3,versicolor
4.6,1.5,versicolor
3.9,1.4,versicolor
6.0,2.5,virginica
5.1,1.9,virginica
5.9,2.1,virginica
5.6,1.8,virginica
5.8,2.2,virginica
6.6,2.1,virginica
`;

const line = `x,y
1,2.1
2,3.9
3,6.2
4,8.1
5,9.8
6,12.2
7,13.9
8,16.1
`;

const orders = `id,customer,amount
1,ada,120
2,grace,80
3,ada,45
4,alan,200
`;

const customers = `customer,country
ada,UK
grace,US
alan,UK
`;

/** What runs without packages. */
export const plainBlueprints: readonly BlueprintPlan[] = [
  {
    key: "basin-level",
    name: "Waste water: the level of a basin",
    description: "Learns how a storm basin fills, predicts its level six hours ahead, and saves the model.",
    tags: ["learning", "charts", "start"],
    nodes: {
      readings: { prefab: "basin-readings", at: [0, 0], look: "sources" },
      train: {
        prefab: "linear-regression",
        at: [1, 0],
        look: "models",
        name: "Train",
        values: {
          target: "level_in_6h",
          features: ["rain_mm", "rain_6h_mm", "inflow_m3", "level_cm", "rising_cm"],
        },
      },
      save: { prefab: "log-model", at: [4, 0], look: "write", name: "Save the model", values: { name: "Basin level" } },
      predict: { prefab: "predict", at: [2, 1], look: "models", name: "Predict" },
      table: {
        prefab: "show-table",
        at: [3, 1],
        look: "show",
        name: "Predictions",
        values: { columns: ["hour", "level_in_6h", "prediction"] },
      },
      chart: {
        prefab: "line-chart",
        at: [4, 1],
        look: "show",
        name: "Measured and predicted",
        values: { x: "hour", y: ["level_in_6h", "prediction"] },
      },
      metrics: {
        prefab: "regression-metrics",
        at: [3, 0],
        look: "evaluate",
        name: "How good is it?",
        values: { truth: "level_in_6h" },
      },
    },
    edges: [
      "readings.past → train.rows",
      "train.model → predict.model",
      "readings.recent → predict.rows",
      "predict.predicted → table.rows",
      "table.same → chart.rows",
      "predict.predicted → metrics.rows",
      "train.model → save.model",
      "metrics.metrics → save.metrics",
    ],
  },
  {
    key: "train-classifier",
    name: "Train and evaluate a classifier",
    description:
      "Splits labelled rows, learns from one part, tests with the other, and adds the model to the model list.",
    tags: ["learning"],
    nodes: {
      data: { prefab: "load-csv", at: [0, 0], name: "Flowers", values: { text: flowers } },
      split: { prefab: "split-train-test", at: [1, 0], values: { test_share: 0.35 } },
      train: { prefab: "logistic-regression", at: [2, 0] },
      predict: { prefab: "predict", at: [3, 1] },
      metrics: { prefab: "classification-metrics", at: [4, 1] },
      log: { prefab: "log-model", at: [5, 0], values: { name: "Flowers" } },
    },
    edges: [
      "data.rows → split.rows",
      "split.train → train.rows",
      "split.test → predict.rows",
      "train.model → predict.model",
      "predict.predicted → metrics.rows",
      "train.model → log.model",
      "metrics.metrics → log.metrics",
    ],
  },
  {
    key: "compare-classifiers",
    name: "Compare two classifiers",
    description:
      "A decision tree and a logistic regression learn from the same rows; their metrics stand side by side.",
    tags: ["learning", "metrics"],
    nodes: {
      data: { prefab: "load-csv", at: [0, 0], name: "Flowers", values: { text: flowers } },
      split: { prefab: "split-train-test", at: [1, 0], values: { test_share: 0.35 } },
      tree: { prefab: "decision-tree", at: [2, 0] },
      logistic: { prefab: "logistic-regression", at: [2, 1] },
      by_tree: { prefab: "predict", at: [3, 0], name: "Predict by tree" },
      by_logistic: { prefab: "predict", at: [3, 1], name: "Predict by regression" },
      tree_metrics: { prefab: "classification-metrics", at: [4, 0], name: "Metrics of the tree" },
      logistic_metrics: { prefab: "classification-metrics", at: [4, 1], name: "Metrics of the regression" },
    },
    edges: [
      "data.rows → split.rows",
      "split.train → tree.rows",
      "split.train → logistic.rows",
      "tree.model → by_tree.model",
      "logistic.model → by_logistic.model",
      "split.test → by_tree.rows",
      "split.test → by_logistic.rows",
      "by_tree.predicted → tree_metrics.rows",
      "by_logistic.predicted → logistic_metrics.rows",
    ],
  },
  {
    key: "fit-line",
    name: "Fit a line",
    description: "Fits a linear regression to rows, says how good it is, and draws it beside the data.",
    tags: ["learning", "charts"],
    nodes: {
      data: { prefab: "load-csv", at: [0, 0], name: "Measurements", values: { text: line } },
      fit: { prefab: "linear-regression", at: [1, 0] },
      predict: { prefab: "predict", at: [2, 1] },
      metrics: { prefab: "regression-metrics", at: [3, 0] },
      chart: { prefab: "line-chart", at: [3, 1], values: { y: ["y", "prediction"] } },
    },
    edges: [
      "data.rows → fit.rows",
      "fit.model → predict.model",
      "data.rows → predict.rows",
      "predict.predicted → metrics.rows",
      "predict.predicted → chart.rows",
    ],
  },
  {
    key: "find-groups",
    name: "Find groups",
    description: "Clusters rows by k-means, shows them, and charts the size of each cluster.",
    tags: ["learning", "charts"],
    nodes: {
      data: { prefab: "load-csv", at: [0, 0], name: "Flowers", values: { text: flowers } },
      cluster: { prefab: "k-means", at: [1, 0] },
      table: { prefab: "show-table", at: [2, 0] },
      chart: { prefab: "bar-chart", at: [2, 1], values: { label: "cluster", value: "rows" } },
    },
    edges: ["data.rows → cluster.rows", "cluster.clustered → table.rows", "cluster.centres → chart.rows"],
  },
  {
    key: "join-and-summarise",
    name: "Join and summarise",
    description: "Joins orders with their customers, adds up the amounts by country, and draws them.",
    tags: ["tables", "charts"],
    nodes: {
      orders: { prefab: "load-csv", at: [0, 0], name: "Orders", values: { text: orders } },
      customers: { prefab: "load-csv", at: [0, 1], name: "Customers", values: { text: customers } },
      join: { prefab: "join-tables", at: [1, 0], values: { column: "customer" } },
      sum: { prefab: "group-aggregate", at: [2, 0], values: { by: "country", column: "amount" } },
      chart: { prefab: "bar-chart", at: [3, 0], values: { label: "country", value: "sum" } },
    },
    edges: [
      "orders.rows → join.left",
      "customers.rows → join.right",
      "join.joined → sum.rows",
      "sum.groups → chart.rows",
    ],
  },
  {
    key: "count-words",
    name: "Count words",
    description: "Splits a text into words, counts them and draws the most frequent.",
    tags: ["text", "charts"],
    nodes: {
      words: { prefab: "tokenise-text", at: [0, 0] },
      count: { prefab: "count-words", at: [1, 0] },
      chart: { prefab: "bar-chart", at: [2, 0], values: { label: "word", value: "count" } },
    },
    edges: ["words.words → count.words", "count.counts → chart.rows"],
  },
  {
    key: "fetch-table",
    name: "Fetch a table",
    description: "Fetches CSV from an address, keeps some rows, shows them and writes them to the storage.",
    tags: ["data", "web"],
    nodes: {
      fetch: { prefab: "http-fetch", at: [0, 0] },
      read: { prefab: "load-csv", at: [1, 0] },
      keep: { prefab: "filter-rows", at: [2, 0] },
      show: { prefab: "show-table", at: [3, 0] },
      write: { prefab: "write-file", at: [3, 1] },
    },
    edges: ["fetch.text → read.source", "read.rows → keep.rows", "keep.kept → show.rows", "keep.kept → write.value"],
  },
];
