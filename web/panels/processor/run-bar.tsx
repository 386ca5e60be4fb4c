import { Bug, ChevronDown, Play } from "lucide-react";
import { Children, type ReactNode, useState, useSyncExternalStore } from "react";

import { canCreate } from "@miranda/contract/processor.ts";

import { useMoneyShown } from "../../api/billing/money-shown.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../ui/overlay/dropdown.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import { ContinueButton } from "./continue-offer.tsx";
import { DebugControls } from "./debug-controls.tsx";
import { Installing } from "./installing.tsx";
import { IncludeButton, IncludeItems } from "./include-unsaved-code.tsx";
import { InterruptButton } from "./interrupt-button.tsx";
import { PlanPreview } from "./plan-preview.tsx";
import { RunLimitDialog } from "./limits/run-limit-dialog.tsx";
import { RefusedRun } from "./refused-run.tsx";
import { WhoPays } from "./limits/who-pays.tsx";
import type { RunChoice } from "./use-plan.ts";

const ofTheNode = [
  { mode: "one", label: "Run this node" },
  { mode: "to", label: "Run up to here" },
  { mode: "from", label: "Run from here" },
] as const;
const ofAll = [
  { mode: "changed", label: "Run what changed" },
  { mode: "all", label: "Run all" },
] as const;
const changed: RunChoice = { mode: "changed" };

interface RunBarProps {
  /** The selected or open node. */
  node?: number | undefined;
  /** More menu entries. */
  children?: ReactNode;
  /** On a small screen the bar shares its line: the menu and a toast show the rest. */
  crowded?: boolean;
}

/** Runs the workflow or part of it, with or without breakpoints, and continues where it is paused. */
export function RunBar({ node, children, crowded = false }: RunBarProps) {
  const { actions, debugMode } = useProcessor();
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const isViewOnly = useGraph((view) => view.viewOnly);
  const isDebugging = useSyncExternalStore(debugMode.watch, debugMode.isOn);
  const [isLimiting, setLimiting] = useState(false);
  const isNarrow = useMedia("(max-width: 639px)");
  const hasRoom = !crowded || !isNarrow;
  if (isViewOnly) return null;
  const isBusy = !isWaiting && (shown === "RUNNING" || shown === "RESUMEREADY");
  const mayRun = !isWaiting && (shown === "READY" || canCreate(shown));
  const run = (choice: RunChoice) => toastFailure(actions.run(choice, isDebugging));
  return (
    <fieldset aria-label="Run" className="flex min-w-0 items-center gap-0.5">
      {isBusy ? (
        <>
          <DebugControls />
          <InterruptButton />
          <Installing />
        </>
      ) : (
        <>
          <Tooltip side="bottom" text={mayRun ? <PlanPreview choice={changed} /> : "The processor is busy."}>
            <Button
              size="sm"
              variant="primary"
              data-tour="run"
              disabled={!mayRun}
              onClick={() => run(changed)}
              aria-keyshortcuts="F5"
              className="rounded-r-none"
            >
              <Play className="size-3.5" aria-hidden="true" />
              <span className={hasRoom ? "" : "sr-only"}>Run</span>
            </Button>
          </Tooltip>
          <RunMenu node={node} disabled={!mayRun} onRun={run} onLimit={() => setLimiting(true)}>
            {children}
          </RunMenu>
          {mayRun ? <ContinueButton isDebugging={isDebugging} isShort={!hasRoom} /> : null}
          {hasRoom ? <IncludeButton /> : null}
        </>
      )}
      <IconButton
        icon={Bug}
        label={isDebugging ? "Stops at breakpoints" : "Runs past breakpoints"}
        aria-pressed={isDebugging}
        onClick={() => debugMode.set(!isDebugging)}
        className={classes("size-7", isDebugging ? "bg-accent-soft text-accent-text" : null)}
      />
      <RefusedRun asToast={!hasRoom} />
      {isLimiting ? (
        <RunLimitDialog onRun={(budget) => run({ ...changed, budget })} onClose={() => setLimiting(false)} />
      ) : null}
    </fieldset>
  );
}

interface RunMenuProps {
  node: number | undefined;
  disabled: boolean;
  onRun: (choice: RunChoice) => void;
  /** Asks for a limit and runs with it. */
  onLimit: () => void;
  children: ReactNode;
}

function RunMenu({ node, disabled, onRun, onLimit, children }: RunMenuProps) {
  return (
    <Dropdown
      align="start"
      trigger={
        <Button
          size="sm"
          variant="primary"
          disabled={disabled}
          aria-label="More ways to run"
          className="-ml-px rounded-l-none px-1.5"
        >
          <ChevronDown className="size-3.5" aria-hidden="true" />
        </Button>
      }
    >
      <RunMenuItems node={node} onRun={onRun} onLimit={onLimit}>
        {children}
      </RunMenuItems>
    </Dropdown>
  );
}

/** Mounted only while the menu is open, so it always starts with the plan of its first entry. */
function RunMenuItems({ node, onRun, onLimit, children }: Omit<RunMenuProps, "disabled">) {
  const isMoneyShown = useMoneyShown();
  const [looking, setLooking] = useState<RunChoice>(changed);
  const hasMore = Children.toArray(children).length > 0;
  const item = (choice: RunChoice, label: string) => (
    <DropdownItem key={choice.mode} onFocus={() => setLooking(choice)} onSelect={() => onRun(choice)}>
      {label}
    </DropdownItem>
  );
  return (
    <>
      {ofAll.map(({ mode, label }) => item({ mode }, label))}
      {isMoneyShown ? (
        <DropdownItem onFocus={() => setLooking(changed)} onSelect={onLimit}>
          Run with a limit…
        </DropdownItem>
      ) : null}
      {node === undefined ? null : (
        <>
          <DropdownSeparator />
          {ofTheNode.map(({ mode, label }) => item({ mode, node }, label))}
        </>
      )}
      {hasMore ? (
        <>
          <DropdownSeparator />
          {children}
        </>
      ) : null}
      <IncludeItems />
      <DropdownSeparator />
      <div className="min-h-9 w-72 max-w-[80vw] px-2 py-1.5">
        <PlanPreview choice={looking} />
        <WhoPays />
      </div>
    </>
  );
}
