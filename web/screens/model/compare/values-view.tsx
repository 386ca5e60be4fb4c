import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { type ComparedAt, comparisonQuery } from "../../../api/models/compare.ts";
import { itemOf } from "../../../api/models/compared-versions.ts";
import { ComparedValues } from "../../../panels/comparison/compared-values.tsx";
import { useOpenModel } from "../open-model.tsx";
import { useCompared } from "./compare-view.tsx";

/** Metrics, parameters, facts and packages of the compared versions. */
export function ValuesView() {
  const { model } = useOpenModel();
  const versions = useCompared();
  const [at, setAt] = useState<ComparedAt>({ at: "last" });
  const items = versions.map((number) => itemOf(model.id, number));
  const query = useQuery(comparisonQuery(items, at));
  return (
    <div className="mx-auto flex w-full max-w-[110rem] min-w-0 flex-col gap-4 px-4 py-5 sm:px-6">
      <ComparedValues query={query} at={at} onAt={setAt} />
    </div>
  );
}
