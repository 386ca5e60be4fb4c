import { VersionCharts } from "../charts/version-charts.tsx";
import { useCompared } from "./compare-view.tsx";

/** The metrics of the compared versions over their steps. */
export function ComparedCharts() {
  const versions = useCompared();
  return (
    <div className="mx-auto flex w-full max-w-[110rem] flex-col gap-4 px-4 py-5 sm:px-6">
      <VersionCharts shown={versions} />
    </div>
  );
}
