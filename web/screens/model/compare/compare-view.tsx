import { useInfiniteQuery } from "@tanstack/react-query";
import { GitCompareArrows } from "lucide-react";
import { useMemo } from "react";
import { NavLink, Outlet, useMatch, useNavigate, useOutletContext } from "react-router";

import { model as limits } from "@miranda/contract/limits.ts";

import {
  comparedVersionsAddress,
  type ComparePart,
  useComparedVersions,
} from "../../../api/models/compared-versions.ts";
import { modelVersionsQuery } from "../../../api/models/model.ts";
import { classes } from "../../../ui/classes.ts";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { useOpenModel } from "../open-model.tsx";
import { ComparedVersionChoice } from "./compared-version-choice.tsx";

const parts: readonly { part: ComparePart; label: string }[] = [
  { part: "", label: "Values" },
  { part: "charts", label: "Charts" },
  { part: "changes", label: "Code and graph" },
  { part: "outputs", label: "Outputs" },
  { part: "plots", label: "All versions" },
];

/** Two or more versions side by side. The address names them, and each part has its own. */
export function CompareView() {
  const { model } = useOpenModel();
  const navigate = useNavigate();
  const given = useComparedVersions();
  const part = useComparePart();
  const list = useInfiniteQuery(modelVersionsQuery(model.id));
  const known = useMemo(() => list.data?.map(({ number }) => number) ?? [], [list.data]);
  // Without a choice in the address, the two newest, the older one first.
  const compared = useMemo(() => (given.length > 0 ? given : known.slice(0, 2).toReversed()), [given, known]);
  if (list.error && !list.data)
    return (
      <div className="p-4 sm:p-6">
        <LoadFailure
          title="The versions could not be loaded"
          message={list.error.message}
          busy={list.isFetching}
          onRetry={() => void list.refetch()}
        />
      </div>
    );
  if (!list.data) return <LoadingArea label="Loading the versions" />;
  const needsTwo = part !== "plots";
  return (
    <div className="flex min-w-0 flex-1 flex-col" data-testid="model-comparison">
      <div className="flex shrink-0 flex-col gap-2 border-b border-line bg-canvas px-4 py-2 sm:px-6">
        <ComparedVersionChoice
          known={known}
          compared={compared}
          most={limits.comparedMax}
          onChoose={(chosen) => void navigate(comparedVersionsAddress(model.id, chosen, part), { replace: true })}
        />
        <nav aria-label="Parts of the comparison" className="-mx-2 flex gap-1 overflow-x-auto">
          {parts.map(({ part: one, label }) => (
            <NavLink
              key={one}
              to={comparedVersionsAddress(model.id, compared, one)}
              end
              className={({ isActive }) =>
                classes(
                  "flex h-8 shrink-0 items-center rounded-md px-3 text-sm font-medium -outline-offset-2 transition-colors",
                  isActive ? "bg-accent-soft text-accent-text" : "text-ink-muted hover:bg-hover hover:text-ink",
                )
              }
            >
              {label}
            </NavLink>
          ))}
        </nav>
      </div>
      {needsTwo && compared.length < 2 ? (
        <div className="mx-auto w-full max-w-2xl px-4 py-12">
          <EmptyState icon={GitCompareArrows} title={known.length < 2 ? "There is one version" : "Choose two versions"}>
            {known.length < 2
              ? "Train the model again: the next version can be compared with this one."
              : "A comparison needs at least two."}
          </EmptyState>
        </div>
      ) : (
        <Outlet context={compared satisfies readonly number[]} />
      )}
    </div>
  );
}

/** The versions that the view around compares. */
export const useCompared = () => useOutletContext<readonly number[]>();

function useComparePart(): ComparePart {
  const match = useMatch("/designer/models/:modelId/compare/:part");
  return parts.find(({ part }) => part === match?.params.part)?.part ?? "";
}
