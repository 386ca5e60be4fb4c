// What is better for a metric can only be guessed from its name.

const lowerWords = new Set(
  `loss error err errors mse rmse mae mape msle rmsle logloss perplexity deviance distance divergence regret time
  seconds duration latency bytes size cost fpr fnr wer cer brier misclassified residual`.split(/\s+/),
);

/** The words of a name such as `val_logLoss`. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, 300)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Whether the lowest value of a metric is its best. */
export function isLowerBetter(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word, at) => lowerWords.has(word) || (word === "log" && words[at + 1] === "loss"));
}

const known = ["accuracy", "f1", "auc", "r2", "score", "precision", "recall", "loss", "rmse", "mse", "mae"];
const trained = new Set(["training", "train"]);
const tested = new Set(["test", "val", "validation", "eval", "valid"]);

/** The one metric that says most about a model; undefined without metrics. What was measured on other data comes first. */
export function firstMetric(names: readonly string[]): string | undefined {
  let best: { name: string; rank: number } | undefined;
  for (const name of names) {
    const words = wordsOf(name);
    const place = words.map((word) => known.indexOf(word)).find((at) => at >= 0) ?? known.length;
    const source = words.some((word) => tested.has(word)) ? 0 : words.some((word) => trained.has(word)) ? 2 : 1;
    // The metric's own words count more than where it was measured, and short names more than long ones.
    const rank = place * 1_000 + source * 100 + Math.min(words.length, 99);
    if (!best || rank < best.rank || (rank === best.rank && name < best.name)) best = { name, rank };
  }
  return best?.name;
}
