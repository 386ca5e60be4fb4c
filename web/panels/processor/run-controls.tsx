import { ChevronDown, Play } from "lucide-react";

import type { RunMode } from "@miranda/contract/command-args.ts";
import { canCreate } from "@miranda/contract/processor.ts";

import { useGraph } from "../../providers/object-provider.tsx";
import { attempt, useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { Dropdown, DropdownItem } from "../../ui/dropdown.tsx";
import { DebugControls, useDebugKeys } from "./debug-controls.tsx";

const modes: readonly { mode: RunMode; label: string }[] = [
  { mode: "changed", label: "Run what changed" },
  { mode: "all", label: "Run all" },
];

/** Runs the workflow, and goes on where it is paused. */
export function RunControls() {
  useDebugKeys();
  const { actions } = useProcessor();
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const isViewOnly = useGraph((view) => view.loaded && view.viewOnly);
  const mayRun = !isWaiting && !isViewOnly && (shown === "READY" || canCreate(shown));
  const isBusy = shown === "RUNNING" || shown === "RESUMEREADY";
  if (!mayRun && !isBusy) return null;
  return (
    <fieldset className="mt-3 flex min-w-0 items-center gap-1 border-t border-line pt-3" aria-label="Run">
      {mayRun ? (
        <>
          <Button size="sm" onClick={() => attempt(actions.start())} className="rounded-r-none" title="F5">
            <Play className="size-3.5 text-success-text" aria-hidden="true" />
            Run
          </Button>
          <Dropdown
            align="start"
            trigger={
              <Button size="sm" aria-label="More ways to run" className="-ml-1 rounded-l-none border-l-0 px-1.5">
                <ChevronDown className="size-3.5" aria-hidden="true" />
              </Button>
            }
          >
            {modes.map(({ mode, label }) => (
              <DropdownItem key={mode} onSelect={() => attempt(actions.run({ mode }))}>
                {label}
              </DropdownItem>
            ))}
          </Dropdown>
        </>
      ) : (
        <DebugControls />
      )}
    </fieldset>
  );
}
