import { useQuery } from "@tanstack/react-query";
import { CalendarClock, Plus } from "lucide-react";
import { useState } from "react";

import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { Schedule } from "@miranda/contract/schemas/deployments/schedules.ts";

import { deploymentQuery } from "../../../api/deployments/deployments.ts";
import { schedulesQuery } from "../../../api/deployments/schedules.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import { ScheduleRow } from "./schedule-row.tsx";

interface SchedulesPanelProps {
  graphId: string;
  right: Deployment["right"];
}

/** When a deployment is called by itself. */
export function SchedulesPanel({ graphId, right }: SchedulesPanelProps) {
  const { data: schedules, error, refetch, isFetching } = useQuery(schedulesQuery(graphId));
  const { data: deployment } = useQuery(deploymentQuery(graphId));
  const [form, setForm] = useState<{ schedule?: Schedule } | null>(null);
  const mayChange = right !== "read";
  const add = mayChange ? (
    <Button variant="primary" disabled={!deployment?.production && !deployment?.staging} onClick={() => setForm({})}>
      <Plus className="size-4" aria-hidden="true" />
      New schedule
    </Button>
  ) : null;

  if (!schedules && error)
    return (
      <LoadFailure
        title="The schedules could not be loaded"
        message={error.message}
        onRetry={() => void refetch()}
        busy={isFetching}
      />
    );
  if (!schedules) return <Spinner label="Loading the schedules" showLabel />;
  return (
    <div className="flex flex-col gap-4">
      {schedules.length === 0 ? (
        <EmptyState icon={CalendarClock} title="No schedules" action={add}>
          A schedule calls this deployment by itself: every night, every hour, or at times that you choose.
        </EmptyState>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-ink-muted">Schedules call this deployment by themselves.</p>
            {add}
          </div>
          <ul aria-label="Schedules" className="flex flex-col gap-3">
            {schedules.map((schedule) => (
              <ScheduleRow
                key={schedule.id}
                graphId={graphId}
                schedule={schedule}
                mayChange={mayChange}
                onEdit={() => setForm({ schedule })}
              />
            ))}
          </ul>
        </>
      )}
      {form && deployment ? (
        <ScheduleForm deployment={deployment} schedule={form.schedule} onClose={() => setForm(null)} />
      ) : null}
    </div>
  );
}
