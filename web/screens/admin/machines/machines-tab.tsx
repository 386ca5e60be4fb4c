import { Server } from "lucide-react";
import { useState } from "react";

import { adminLists } from "@miranda/contract/admin-limits.ts";
import type { AdminMachine } from "@miranda/contract/schemas/admin/machines.ts";

import { useMachines, useRunningActions } from "../../../api/admin/running.ts";
import { fileSize } from "../../../format/file-size.ts";
import { floorTo2, usageBarOf } from "../../../format/usage.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { Card } from "../../../ui/layout/card.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { FormDialog } from "../../../ui/overlay/form-dialog.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { NotLoaded } from "../not-loaded.tsx";

/** Where sessions run. */
export function MachinesTab() {
  const query = useMachines();
  const { data } = query;
  const { openMachine } = useRunningActions();
  const [closing, setClosing] = useState<AdminMachine | null>(null);
  if (!data) return <NotLoaded title="The machines could not be loaded" query={query} />;
  return (
    <section className="flex flex-col gap-4" aria-labelledby="machines">
      <div>
        <h2 id="machines" className="text-lg font-semibold">
          Machines
        </h2>
        <p className="text-sm text-ink-muted">
          {data.running} of {data.slots} sessions running. One person can run at most {data.slots_per_account}.
        </p>
      </div>
      {data.machines.length === 0 ? (
        <EmptyState icon={Server} title="No machine has reported yet">
          Servers report their machines every ten seconds.
        </EmptyState>
      ) : (
        <ul aria-label="Machines" className="grid gap-4 lg:grid-cols-2">
          {data.machines.map((machine) => (
            <li key={machine.id}>
              <Machine
                machine={machine}
                onClose={() => setClosing(machine)}
                onOpen={() => toastFailure(openMachine(machine.id))}
              />
            </li>
          ))}
        </ul>
      )}
      {closing === null ? null : <CloseDialog machine={closing} onDone={() => setClosing(null)} />}
    </section>
  );
}

const engines: Record<string, string> = { local: "Processes", docker: "Docker", swarm: "Docker Swarm" };
const stateWords = { ready: "Ready", silent: "Not responding", down: "Down" } as const;

interface MachineProps {
  machine: AdminMachine;
  onClose: () => void;
  onOpen: () => void;
}

function Machine({ machine, onClose, onOpen }: MachineProps) {
  const { name, engine, version, state, seen, closed, sessions } = machine;
  const words = closed && state === "ready" ? "Closed" : stateWords[state];
  return (
    <Card className="flex h-full flex-col gap-4 p-5">
      <div className="flex items-start gap-3">
        <div className="min-w-0 grow">
          <h3 className="truncate font-semibold">{name}</h3>
          <p className="truncate text-sm text-ink-muted">
            {engines[engine] ?? engine} · {version} · seen <RelativeTime time={seen} />
          </p>
        </div>
        <span
          className={classes(
            "shrink-0 rounded-full px-2.5 py-0.5 text-sm font-medium",
            words === "Ready" ? "bg-success-soft text-success-text" : "bg-warning-soft text-warning-text",
          )}
        >
          {words}
        </span>
      </div>
      <dl className="flex flex-col gap-2.5 text-sm">
        <Load name="Load" used={machine.load} most={machine.cores} unit="cores" write={number} />
        <Load
          name="Memory"
          used={machine.free_memory_bytes === null ? null : machine.memory_bytes - machine.free_memory_bytes}
          most={machine.memory_bytes}
          write={fileSize}
        />
        <Load
          name="Disk"
          used={
            machine.disk_bytes === null || machine.free_disk_bytes === null
              ? null
              : machine.disk_bytes - machine.free_disk_bytes
          }
          most={machine.disk_bytes}
          write={fileSize}
        />
      </dl>
      <div className="mt-auto flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-ink-muted">
          {sessions === 1 ? "1 session uses" : `${sessions} sessions use`} {number(machine.sessions_cpu)} cores and{" "}
          {number(machine.sessions_ram_gb)} GB now.
        </p>
        {closed ? (
          <Button size="sm" onClick={onOpen}>
            Open to new sessions
          </Button>
        ) : (
          <Button size="sm" onClick={onClose}>
            Close to new sessions
          </Button>
        )}
      </div>
      {closed ? (
        <p className="text-sm text-ink-muted">
          Closed <RelativeTime time={closed.since} />
          {closed.by === null ? "" : ` by ${closed.by}`}
          {closed.note === "" ? "." : `: ${closed.note}`}
        </p>
      ) : null}
    </Card>
  );
}

const number = (value: number): string => String(floorTo2(value));
const colours = { green: "bg-success", orange: "bg-warning", red: "bg-danger" } as const;

interface LoadProps {
  name: string;
  used: number | null;
  most: number | null;
  unit?: string;
  write: (value: number) => string;
}

function Load({ name, used, most, unit = "", write }: LoadProps) {
  const bar = used === null || most === null ? null : usageBarOf(used, most);
  return (
    <div className="grid grid-cols-[5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
      <dt className="text-ink-muted">{name}</dt>
      <dd className="truncate text-right tabular-nums">
        {used === null ? "not measured" : write(used)}
        {most === null ? "" : `${used === null ? ", has" : " of"} ${write(most)} ${unit}`}
      </dd>
      {bar === null ? null : (
        <div className="col-span-2 h-1.5 overflow-hidden rounded-full bg-sunken" aria-hidden="true">
          <div className={classes("h-full rounded-full", colours[bar.colour])} style={{ width: `${bar.percent}%` }} />
        </div>
      )}
    </div>
  );
}

function CloseDialog({ machine, onDone }: { machine: AdminMachine; onDone: () => void }) {
  const { closeMachine } = useRunningActions();
  const form = useForm(async (fields) => {
    await closeMachine(machine.id, fieldText(fields, "note"));
    toast.success("The machine takes no new sessions.");
    onDone();
  });
  return (
    <FormDialog
      form={form}
      title={`Close ${machine.name} to new sessions`}
      description="Running sessions go on. New sessions start on other machines, or wait until one is open."
      action="Close machine"
      onClose={onDone}
    >
      <TextField
        label="Note"
        name="note"
        optional
        autoComplete="off"
        maxLength={adminLists.reasonMax}
        placeholder="New disk on Friday"
        hint="Other administrators read it."
      />
    </FormDialog>
  );
}
