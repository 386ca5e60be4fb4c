import { useId, useSyncExternalStore } from "react";

import { type ExceptionMode, exceptionModes } from "@miranda/contract/processor.ts";

import { useGraph } from "../../providers/object-provider.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";

const labels: Record<ExceptionMode, string> = { off: "None", uncaught: "Uncaught", all: "All" };

/** At which exceptions this person's runs pause. */
export function ExceptionChoice() {
  const { debugMode, store, actions } = useProcessor();
  const id = useId();
  const mode = useSyncExternalStore(debugMode.watch, debugMode.exceptions);
  const isViewOnly = useGraph((view) => view.viewOnly);
  if (isViewOnly) return null;
  const choose = (value: string) => {
    const next = exceptionModes.find((one) => one === value);
    if (!next) return;
    debugMode.setExceptions(next);
    const { shown } = store.get();
    // The next run includes the choice; a running session needs it now.
    if (shown === "RUNNING" || shown === "RESUMEREADY") toastFailure(actions.setExceptions(next));
  };
  return (
    <div className="flex items-center justify-between gap-2 px-1">
      <label htmlFor={id} className="text-sm font-medium">
        Stop at exceptions
      </label>
      <select
        id={id}
        value={mode}
        onChange={(event) => choose(event.target.value)}
        className="h-7 min-w-0 rounded-md border border-line-strong bg-surface px-1.5 text-sm hover:border-ink-faint"
      >
        {Object.entries(labels).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}
