import type { BlueprintPlan } from "./blueprint-plan.ts";

const messy = `Name ; Age; City ;Income
Ada;36;London;52000
Ada;36;London;52000
Grace;;New York;61000
Alan;41;London;
Edsger;forty;Austin;58000
Barbara;29;Boston;990000
Donald;45;;57000
Radia;38;Boston;60500
`;

const regions = `country,region
Germany,north
Poland,north
France,west
Spain,south
Italy,south
`;

/** Tables to look at, to clean and to sum up. */
export const tableBlueprints: readonly BlueprintPlan[] = [
  {
    key: "explore-table",
    name: "Explore a table",
    description: "The first look at a table: its columns, how numbers are spread, and what goes together.",
    tags: ["show", "charts", "start"],
    nodes: {
      data: { prefab: "sample-data", at: [0, 0], name: "Iris flowers" },
      describe: { prefab: "describe-table", at: [1, 0] },
      histogram: { prefab: "histogram-chart", at: [1, 1], values: { column: "petal length", group: "target" } },
      box: { prefab: "box-plot", at: [2, 0], values: { column: "sepal width", group: "target" } },
      heat: { prefab: "heat-map", at: [2, 1] },
      pairs: { prefab: "scatter-matrix", at: [3, 0], values: { colour: "target" } },
    },
    edges: [
      "data.table → describe.table",
      "data.table → histogram.table",
      "data.table → box.table",
      "data.table → heat.table",
      "data.table → pairs.table",
    ],
  },
  {
    key: "sales-report",
    name: "Sales report",
    description: "Sums up the orders of a shop by product, country and month, and offers the result as an Excel file.",
    tags: ["tables", "charts"],
    nodes: {
      orders: { prefab: "shop-orders", at: [0, 0] },
      products: {
        prefab: "group-table",
        at: [1, 0],
        name: "By product",
        values: { by: ["product"], column: "amount" },
      },
      bars: { prefab: "bar-plot", at: [2, 0], values: { sideways: true } },
      months: { prefab: "resample-series", at: [1, 1], name: "By month", values: { step: "month", function: "sum" } },
      line: { prefab: "line-plot", at: [2, 1], values: { y: ["amount"], title: "Sales of each month" } },
      cross: {
        prefab: "pivot-table",
        at: [1, 2],
        name: "Country and product",
        values: { rows: "country", columns: "product", values: "amount" },
      },
      file: { prefab: "download-table", at: [2, 2], values: { name: "sales", kind: "xlsx" } },
    },
    edges: [
      "orders.table → products.table",
      "products.groups → bars.table",
      "orders.table → months.table",
      "months.resampled → line.table",
      "orders.table → cross.table",
      "cross.pivoted → file.table",
    ],
    groups: { Products: ["products", "bars"], Months: ["months", "line"], Countries: ["cross", "file"] },
  },
  {
    key: "merge-and-share",
    name: "Merge and share out",
    description: "Adds a region to each order by merging two tables, and draws the share of each region.",
    tags: ["tables", "charts", "join"],
    nodes: {
      orders: { prefab: "shop-orders", at: [0, 0] },
      regions: { prefab: "typed-table", at: [0, 1], name: "Regions", values: { text: regions } },
      merge: { prefab: "merge-tables", at: [1, 0] },
      large: {
        prefab: "query-rows",
        at: [2, 0],
        name: "Large orders",
        values: { condition: "amount > 20" },
      },
      pie: { prefab: "pie-chart", at: [3, 0], values: { label: "region", value: "amount" } },
      table: { prefab: "show-frame", at: [3, 1] },
    },
    edges: [
      "orders.table → merge.left",
      "regions.table → merge.right",
      "merge.merged → large.table",
      "large.kept → pie.table",
      "large.kept → table.table",
    ],
  },
  {
    key: "clean-table",
    name: "Clean a messy table",
    description:
      "Tidies names, reads numbers, drops duplicates and outliers, fills gaps, and writes CSV and Excel files.",
    tags: ["tables", "prepare"],
    nodes: {
      messy: { prefab: "typed-table", at: [0, 0], name: "Messy table", values: { text: messy } },
      names: { prefab: "rename-columns", at: [1, 0], name: "Tidy names" },
      numbers: { prefab: "convert-types", at: [2, 0], name: "Read numbers", values: { columns: ["age", "income"] } },
      unique: { prefab: "drop-duplicates", at: [3, 0] },
      fill: { prefab: "fill-gaps", at: [4, 0] },
      outliers: { prefab: "remove-outliers", at: [5, 0], values: { columns: ["income"] } },
      before: { prefab: "missing-cells", at: [2, 1], name: "Before" },
      table: { prefab: "show-frame", at: [6, 2], name: "After" },
      csv: { prefab: "write-csv", at: [6, 0], values: { path: "people.csv" } },
      excel: { prefab: "write-excel", at: [6, 1], values: { path: "people.xlsx" } },
    },
    edges: [
      "messy.table → names.table",
      "names.renamed → numbers.table",
      "names.renamed → before.table",
      "numbers.converted → unique.table",
      "unique.unique → fill.table",
      "fill.filled → outliers.table",
      "outliers.kept → table.table",
      "outliers.kept → csv.table",
      "outliers.kept → excel.table",
    ],
    groups: { Clean: ["names", "numbers", "unique", "fill", "outliers"], Write: ["csv", "excel"] },
  },
];
