import { useQuery } from "@tanstack/react-query";
import { GitCompareArrows } from "lucide-react";
import { useState } from "react";
import { useParams, useSearchParams } from "react-router";

import { type ComparedAt, comparisonQuery, experimentsAddress } from "../../api/models/compare.ts";
import { useProject } from "../../api/projects.ts";
import { ComparedValues } from "../../panels/comparison/compared-values.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";

/** Runs of an experiment side by side. The address names them. */
export function CompareRunsScreen() {
  const { projectId = "", number = "0" } = useParams();
  const [params, setParams] = useSearchParams();
  const { data: project } = useProject(projectId);
  useTopBar({ back: experimentsAddress(projectId, Number(number)), project: project?.project.name });
  const [at, setAt] = useState<ComparedAt>({ at: "last" });
  const items = (params.get("items") ?? "").split(",").filter(Boolean);
  const query = useQuery(comparisonQuery(items, at));
  return (
    <div className="mx-auto flex w-full max-w-[110rem] min-w-0 flex-col gap-5 px-4 py-6 sm:px-6 sm:py-8">
      <h1 className="text-2xl font-semibold">Compare runs</h1>
      {items.length < 2 ? (
        <EmptyState icon={GitCompareArrows} title="Choose two runs">
          A comparison needs at least two.
        </EmptyState>
      ) : (
        <ComparedValues
          query={query}
          at={at}
          onAt={setAt}
          onRemove={(item) =>
            setParams({ items: items.filter((key) => key !== item.key).join(",") }, { replace: true })
          }
        />
      )}
    </div>
  );
}
