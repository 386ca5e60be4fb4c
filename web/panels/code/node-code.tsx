import { ChartNoAxesColumn, GitCommitHorizontal, Maximize2, PanelBottom, PanelRight, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Link, useNavigate } from "react-router";

import { errors } from "@miranda/contract/errors.ts";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { readStored, writeStored } from "../../storage.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";
import { CrashBesideCode } from "../crash/crash-beside-code.tsx";
import { NodeOutputs } from "../outputs/node-outputs.tsx";
import { useBars } from "../outputs/progress-bars.tsx";
import { RunState } from "../processor/run-state.tsx";
import { CodePane } from "./code-pane.tsx";
import { format } from "./format.ts";
import { IdeContext, useIde, useIdeView, useMayWrite, useNode } from "./ide-context.tsx";
import { IdeDialogs } from "./ide-dialogs.tsx";
import { RunMenu } from "./run-menu.tsx";
import { keyNames } from "./shortcuts.ts";
import { StatusBar } from "./status-bar.tsx";
import { useIdeStores } from "./use-ide-stores.ts";

export type DockSide = "right" | "bottom";

interface NodeCodeProps {
  node: number;
  /** Whether the person asked for this code. Then it gets the focus. */
  takesFocus: boolean;
  /** The address of the IDE, without a trailing slash. */
  base: string;
  /** Where it is docked; null where it fills the screen. */
  side: DockSide | null;
  onSide: (side: DockSide) => void;
  onClose: () => void;
}

const keptOpen = 5;
const outputsStoredAs = "dockOutputs";

/** The code and outputs of one node, beside its graph. */
export function NodeCode({ node: id, takesFocus, base, side, onSide, onClose }: NodeCodeProps) {
  const { ide, documents } = useIdeStores();
  const navigate = useNavigate();
  const node = useNode(id);
  const value = useMemo(
    () => ({
      ide,
      documents,
      base,
      open: (metadataId: number, rest = "") => void navigate(`${base}/${metadataId}${rest}`),
      closeTab: onClose,
    }),
    [ide, documents, base, navigate, onClose],
  );
  const [isOpen, setIsOpen] = useState(() => readStored(outputsStoredAs) !== "closed");
  const hasOutputs = useHasOutputs(id);
  const recent = useRecent(id, documents.close);
  const isBeside = side === "bottom";

  return (
    <IdeContext value={value}>
      <DockKeys id={id} />
      <DockHead
        id={id}
        name={node?.name ?? "Deleted node"}
        side={side}
        onSide={onSide}
        onClose={onClose}
        outputs={{
          isOpen,
          toggle: () => {
            writeStored(outputsStoredAs, isOpen ? "closed" : "open");
            setIsOpen(!isOpen);
          },
        }}
      />
      <div className={classes("flex min-h-0 flex-1", isBeside ? "flex-row" : "flex-col")}>
        <div className="flex min-h-0 min-w-0 flex-[3] flex-col">
          {recent.map((one) => (
            <CodePane key={one} metadataId={one} isActive={one === id} isAlone takesFocus={takesFocus} />
          ))}
        </div>
        <CrashBesideCode isRight={isBeside} />
        {isOpen && (hasOutputs || isBeside) ? (
          <section
            aria-label="Outputs"
            className={classes(
              "min-h-0 min-w-0 flex-[2] overflow-auto bg-canvas p-3",
              isBeside ? "border-l border-line" : "border-t border-line",
            )}
          >
            <NodeOutputs node={id} name={node?.name ?? "This node"} />
          </section>
        ) : null}
      </div>
      {node ? <StatusBar node={node} /> : null}
      <IdeDialogs node={node} />
    </IdeContext>
  );
}

function useHasOutputs(id: number): boolean {
  const { runs } = useProcessor();
  const bars = useBars(id);
  return useSyncExternalStore(runs.watch, () => runs.outputOf(id) !== undefined) || bars !== undefined;
}

/** The most recent editors stay mounted: going back finds cursor and undo as they were. */
function useRecent(id: number, close: (id: number) => void): readonly number[] {
  const [recent, setRecent] = useState<readonly number[]>([id]);
  if (recent[0] !== id) setRecent([id, ...recent.filter((one) => one !== id)].slice(0, keptOpen));
  const before = useRef(recent);
  useEffect(() => {
    for (const old of before.current) if (!recent.includes(old)) close(old);
    before.current = recent;
  }, [recent, close]);
  // Sorted by id: an editor that moves within the page would lose its scroll position.
  return useMemo(() => recent.toSorted((one, other) => one - other), [recent]);
}

interface DockHeadProps extends Pick<NodeCodeProps, "side" | "onSide" | "onClose"> {
  id: number;
  name: string;
  outputs: { isOpen: boolean; toggle: () => void };
}

function DockHead({ id, name, side, onSide, onClose, outputs }: DockHeadProps) {
  const { ide, base } = useIde();
  const node = useNode(id);
  const mayWrite = useMayWrite(id);
  const isUnsaved = useIdeView((view) => view.unsaved.get(id) === true);
  return (
    <header className="@container shrink-0 border-b border-line bg-surface">
      {/* Always two rows where one row would be too narrow for the run state: buttons that move are easily missed. */}
      <div className="flex min-h-11 items-center gap-1 py-1 pr-1 pl-3 @max-2xl:flex-wrap">
        <h2 className="min-w-16 flex-1 truncate text-sm font-semibold" dir="auto" title={name}>
          {oneLine(name)}
        </h2>
        <div className="flex min-w-0 items-center gap-1 @max-2xl:order-last @max-2xl:w-full">
          {node ? <RunMenu node={node} /> : null}
          <RunState />
          <span className="@max-2xl:flex-1" />
          {mayWrite ? (
            <Button
              size="sm"
              variant={isUnsaved ? "primary" : "secondary"}
              disabled={!isUnsaved}
              onClick={() => ide.set({ dialog: "commit" })}
              title={`Commit (${keyNames.commit})`}
              aria-label="Commit"
            >
              <GitCommitHorizontal className="size-4" aria-hidden="true" />
            </Button>
          ) : null}
          <IconButton
            icon={ChartNoAxesColumn}
            label="Outputs"
            aria-pressed={outputs.isOpen}
            className={outputs.isOpen ? "bg-accent-soft text-accent-text" : ""}
            onClick={outputs.toggle}
          />
        </div>
        {side === null ? null : (
          <IconButton
            icon={side === "right" ? PanelBottom : PanelRight}
            label={side === "right" ? "Dock below" : "Dock at the right"}
            onClick={() => onSide(side === "right" ? "bottom" : "right")}
          />
        )}
        <Tooltip text="Open in full">
          <Link
            to={`${base}/${id}`}
            aria-label="Open in full"
            className={buttonClasses({ variant: "ghost", size: "icon" })}
          >
            <Maximize2 className="size-4" aria-hidden="true" />
          </Link>
        </Tooltip>
        <IconButton icon={X} label="Close the code" onClick={onClose} />
      </div>
    </header>
  );
}

/** Active while the cursor is in the code; the canvas has keys of its own. */
function DockKeys({ id }: { id: number }) {
  const { ide } = useIde();
  const mayWrite = useMayWrite(id);
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const isInDock = event.target instanceof Element && event.target.closest("[data-code-dock]") !== null;
      const mod = event.ctrlKey || event.metaKey;
      if (!isInDock || event.defaultPrevented) return;
      if (mod && !event.altKey && !event.shiftKey && event.code === "KeyS") {
        event.preventDefault();
        if (!mayWrite) toast.message(errors.graph_read_only);
        else if (ide.get().unsaved.get(id) === true) ide.set({ dialog: "commit" });
        else toast.message(errors.nothing_to_commit);
      } else if (!mod && event.altKey && event.shiftKey && event.code === "KeyF") {
        const view = ide.views.get(id);
        if (!view || !mayWrite) return;
        event.preventDefault();
        void format(view, id);
      }
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [ide, id, mayWrite]);
  return null;
}
