import { Cpu, Square } from "lucide-react";
import { type ReactNode, useState } from "react";

import { stateIcons } from "@miranda/contract/processor.ts";
import type { AdminSession } from "@miranda/contract/schemas/admin/sessions.ts";

import { Money } from "../../../panels/money.tsx";
import { useAdminSessions, useRunningActions } from "../../../api/admin/running.ts";
import { floorTo2 } from "../../../format/usage.ts";
import { debounce } from "../../../limits.ts";
import { SessionIcon } from "../../../panels/processor/session-icon.tsx";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { NotLoaded } from "../not-loaded.tsx";
import { SearchedList } from "../searched-list.tsx";
import { ProjectName } from "./project-name.tsx";
import { QueueSection } from "./queue-section.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

/** What runs and waits in the whole installation. */
export function SessionsTab() {
  const search = useDebouncedText(debounce.filter);
  const list = useAdminSessions(search.committed.trim());
  const [chosen, setChosen] = useState<AdminSession | null>(null);
  const { stop } = useRunningActions();
  const { data } = list;
  const notLoaded = data ? undefined : <NotLoaded title="The sessions could not be loaded" query={list} />;
  if (notLoaded && search.text === "") return notLoaded;
  const [{ running, slots } = { running: 0, slots: 0 }] = data?.pages ?? [];
  return (
    <div className="flex flex-col gap-10">
      <SearchedList
        title="Running sessions"
        description={
          data &&
          `${running} of ${slots} sessions running. You see names and figures; code, logs and outputs stay in the projects.`
        }
        search={search}
        searchLabel="Search workflow, project or person"
        label="Running sessions"
        items={data?.pages.flatMap((page) => page.sessions) ?? []}
        failure={notLoaded}
        render={(session) => <Session session={session} onStop={() => setChosen(session)} />}
        empty={{ icon: Cpu, title: "No running sessions", text: "Sessions appear here as soon as they start." }}
        noMatch="No matching sessions"
        pages={list}
      />
      <QueueSection />
      {chosen === null ? null : (
        <ReasonDialog
          title={`Stop ${chosen.workflow}`}
          text={`The run in it ends too. ${chosen.person} is told why.`}
          action="Stop session"
          onConfirm={async (reason) => {
            await stop(chosen.id, reason);
            toast.success("The session is being stopped.");
          }}
          onClose={() => setChosen(null)}
        />
      )}
    </div>
  );
}

function Session({ session, onStop }: { session: AdminSession; onStop: () => void }) {
  const { workflow, project, person, payer, state, machine, engine, cost } = session;
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-2 px-5 py-3 lg:grid-cols-[auto_minmax(0,1fr)_26rem_auto] lg:items-center">
      <SessionIcon state={state} className="mt-0.5 lg:mt-0" />
      <div className="min-w-0">
        <div className="truncate font-medium">
          {workflow}
          {session.serves_calls ? <span className="font-normal text-ink-muted"> · serves calls</span> : null}
        </div>
        <div className="truncate text-sm text-ink-muted">
          <ProjectName project={project} /> · {person} {payer === "purse" ? "started it, the project pays" : "pays"}
        </div>
        <div className="truncate text-sm text-ink-muted">
          {stateIcons[state].text}, <RelativeTime time={session.state_since} /> · {machine ?? "no machine yet"} (
          {engine})
        </div>
      </div>
      <dl className="col-span-2 col-start-2 row-start-2 grid grid-cols-3 gap-3 text-sm tabular-nums lg:col-span-1 lg:col-start-3 lg:row-start-1">
        <Figure
          name="CPU"
          value={`${floorTo2(session.current_cpu)} of ${floorTo2(session.cpu_capacity)}`}
          unit="cores"
        />
        <Figure
          name="Memory"
          value={`${floorTo2(session.current_ram_gb)} of ${floorTo2(session.ram_gb_capacity)}`}
          unit="GB"
        />
        <Figure name="Cost" value={<Money amount={cost} />} />
      </dl>
      <Button
        size="sm"
        className="col-start-3 row-start-1 lg:col-start-4"
        disabled={state === "KILLING"}
        aria-label={`Stop ${workflow} of ${person}`}
        onClick={onStop}
      >
        <Square className="size-3.5" aria-hidden="true" />
        Stop
      </Button>
    </div>
  );
}

function Figure({ name, value, unit }: { name: string; value: ReactNode; unit?: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-muted">{name}</dt>
      <dd>
        {value} {unit === undefined ? null : <span className="text-ink-muted">{unit}</span>}
      </dd>
    </div>
  );
}
