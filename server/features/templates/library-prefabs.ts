interface PrefabPlan<Key extends string> {
  /** The name of its file, in one of the folders of library/. */
  key: Key;
  name: string;
  description: string;
  tags: readonly string[];
}

// A function, so that the keys become a type.
const plan = <const Key extends string>(
  key: Key,
  name: string,
  description: string,
  ...tags: string[]
): PrefabPlan<Key> => ({
  key,
  name,
  description,
  tags,
});

/** The nodes that the installation ships. Each description is the docstring of the node's class. */
export const prefabPlans = [
  plan(
    "load-csv",
    "Load CSV",
    "Reads CSV text, typed in or received, into a table: a list of rows, each a dict by column.",
    "data",
  ),
  plan(
    "load-json",
    "Load JSON",
    "Reads JSON text, typed in or received. A path such as data.items takes a part of it.",
    "data",
  ),
  plan("http-fetch", "HTTP fetch", "Fetches an address and sends its text on.", "data", "web"),
  plan("read-file", "Read file", "Reads a text file from the workflow's storage.", "data", "files"),
  plan(
    "write-file",
    "Write file",
    "Writes what it gets to a file in the workflow's storage: text as it is, everything else as JSON.",
    "data",
    "files",
  ),
  plan(
    "filter-rows",
    "Filter rows",
    "Keeps the rows whose column passes a test; the others go out by the second door.",
    "tables",
  ),
  plan(
    "map-column",
    "Map column",
    "Computes a column from each row. The expression sees value (the column), row, and the math module.",
    "tables",
  ),
  plan(
    "select-columns",
    "Select columns",
    'Keeps some columns of a table, in the order given. A pair such as ["old", "new"] renames one.',
    "tables",
  ),
  plan("sort-rows", "Sort rows", "Sorts a table by a column, and can keep the first rows only.", "tables"),
  plan("fill-missing", "Fill missing", "Fills empty cells of a column, or drops the rows that have one.", "tables"),
  plan("join-tables", "Join tables", "Joins two tables on a column that both have.", "tables"),
  plan(
    "group-aggregate",
    "Group and aggregate",
    "Groups rows by a column and computes one number per group.",
    "tables",
  ),
  plan(
    "split-train-test",
    "Split train and test",
    "Shuffles rows and splits them into a part to learn from and a part to test with.",
    "learning",
  ),
  plan(
    "linear-regression",
    "Linear regression",
    "Fits a linear model by least squares. Without features it uses every other numeric column.",
    "learning",
  ),
  plan(
    "logistic-regression",
    "Logistic regression",
    "Learns to tell classes apart, each against the others, by gradient descent on scaled features.",
    "learning",
  ),
  plan(
    "decision-tree",
    "Decision tree",
    "Learns a tree of yes-or-no questions about numeric columns. With a depth of 1 it is a single question.",
    "learning",
  ),
  plan("k-means", "K-means", "Finds groups of similar rows and adds the column cluster.", "learning"),
  plan("predict", "Predict", "Applies a model to rows and adds what it predicts as a column.", "learning"),
  plan(
    "classification-metrics",
    "Classification metrics",
    "Compares predicted classes with true ones: accuracy, and precision and recall averaged over the classes.",
    "learning",
    "metrics",
  ),
  plan(
    "regression-metrics",
    "Regression metrics",
    "Compares predicted numbers with true ones: mean squared error, its root, mean absolute error and R².",
    "learning",
    "metrics",
  ),
  plan("log-model", "Log model", "Adds a model with its metrics to the model list.", "learning", "models"),
  plan("tokenise-text", "Tokenise text", "Splits text, typed in or received, into words.", "text"),
  plan("count-words", "Count words", "Counts how often each word occurs, the most frequent first.", "text"),
  plan("show-table", "Show table", "Shows the first rows of a table on the node.", "show"),
  plan("bar-chart", "Bar chart", "Draws one bar per row.", "show", "charts"),
  plan("line-chart", "Line chart", "Draws one or more columns as lines over another column.", "show", "charts"),
  plan("histogram", "Histogram", "Counts how the numbers of a column are spread, for a bar chart.", "tables", "charts"),
  plan("random-numbers", "Random numbers", "Makes a table of random numbers, the same ones for the same seed.", "data"),
  plan("delay", "Delay", "Waits, then hands on what it got.", "flow"),
  plan("log-value", "Log value", "Writes what it gets to the session's log and hands it on.", "flow"),
  plan(
    "collect",
    "Collect",
    "Gathers values that come one by one, and sends them on as a list whenever enough are there.",
    "flow",
  ),
] as const;

export type PrefabKey = (typeof prefabPlans)[number]["key"];
