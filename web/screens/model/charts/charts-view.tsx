import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";

import { modelVersionsQuery } from "../../../api/models/model.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { useOpenModel } from "../open-model.tsx";
import { VersionCharts } from "./version-charts.tsx";
import { VersionChoice } from "./version-choice.tsx";

const newestAtFirst = 5;
const most = 12;

/** The metrics of several versions over their steps: one chart for each metric. */
export function ChartsView() {
  const { model } = useOpenModel();
  const versions = useInfiniteQuery(modelVersionsQuery(model.id));
  const numbers = useMemo(() => versions.data?.map(({ number }) => number), [versions.data]);
  const [shown, choose] = useShownVersions(numbers ?? []);
  if (versions.error && !versions.data)
    return (
      <div className="p-4 sm:p-6">
        <LoadFailure
          title="The charts could not be loaded"
          message={versions.error.message}
          busy={versions.isFetching}
          onRetry={() => void versions.refetch()}
        />
      </div>
    );
  if (!numbers) return <LoadingArea label="Loading the charts" />;
  return (
    <div className="mx-auto flex w-full max-w-[110rem] flex-col gap-4 px-4 py-5 sm:px-6">
      <VersionChoice numbers={numbers} shown={shown} most={most} onChoose={choose} />
      <VersionCharts shown={shown} />
    </div>
  );
}

/** The versions in the charts: those of the address, or the newest. */
function useShownVersions(numbers: readonly number[]): [readonly number[], (shown: readonly number[]) => void] {
  const [params, setParams] = useSearchParams();
  const given = params.get("versions");
  const shown = useMemo(() => {
    if (given === null) return numbers.slice(0, newestAtFirst);
    const asked = given.split(",").map(Number);
    return asked.filter((number) => Number.isSafeInteger(number) && number > 0).slice(0, most);
  }, [given, numbers]);
  const choose = (chosen: readonly number[]) =>
    setParams(
      (before) => {
        before.set("versions", chosen.join(","));
        return before;
      },
      { replace: true },
    );
  return [shown, choose];
}
