import { expect, it } from "vitest";

import { modelColumns, valuesFirst } from "./model-columns.tsx";

it("shows the values of a model right after its name on a phone, and keeps all columns", () => {
  const ids = valuesFirst(modelColumns).map(({ id }) => id);
  expect(ids.slice(0, 6)).toEqual(["name", "best", "loss", "accuracy", "precision", "recall"]);
  expect(ids.toSorted()).toEqual(modelColumns.map(({ id }) => id).toSorted());
});
