import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { Dialog } from "../../../ui/overlay/dialog.tsx";

/** What the nodes could import, at which versions. */
export function PackagesDialog({ run, onClose }: { run: RunDetails; onClose: () => void }) {
  const packages = Object.entries(run.packages).toSorted(([one], [other]) => one.localeCompare(other));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Packages of this run"
      description={run.python === "" ? undefined : `Python ${run.python}`}
      reading
    >
      <dl className="flex flex-col text-sm">
        {packages.map(([name, version]) => (
          <div key={name} className="flex justify-between gap-4 border-b border-line py-1.5 last:border-b-0">
            <dt className="min-w-0 truncate">{name}</dt>
            <dd className="shrink-0 font-mono text-xs leading-5 text-ink-muted">{version}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
