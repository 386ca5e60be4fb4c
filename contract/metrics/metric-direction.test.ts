import { expect, it } from "vitest";

import { firstMetric, isLowerBetter } from "./metric-direction.ts";

it("takes the lowest loss and error for the best, and the highest of anything else", () => {
  for (const name of ["loss", "val_loss", "logLoss", "log_loss", "training_mean_squared_error", "RMSE", "eval/mae"])
    expect(isLowerBetter(name)).toBe(true);
  for (const name of ["accuracy", "training_f1_score", "glossary", "auc", "r2", ""])
    expect(isLowerBetter(name)).toBe(false);
});

it("finds the metric that says most about a model", () => {
  expect(firstMetric([])).toBeUndefined();
  expect(firstMetric(["odd", "loss", "accuracy"])).toBe("accuracy");
  expect(firstMetric(["training_accuracy_score", "test_accuracy_score", "loss"])).toBe("test_accuracy_score");
  expect(firstMetric(["zeta", "alpha"])).toBe("alpha");
});
