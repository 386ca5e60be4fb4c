import { useQuery } from "@tanstack/react-query";
import {
  AppWindow,
  BookUp,
  FolderUp,
  GitCompareArrows,
  GitFork,
  GitMerge,
  History,
  ListChecks,
  type LucideIcon,
  Rocket,
  Tag,
  Undo2,
} from "lucide-react";
import { useNavigate, useParams } from "react-router";

import { deploymentAddress, deploymentQuery } from "../../api/deployments/deployments.ts";
import { importAddress } from "../../api/graphs.ts";
import { runsAddress } from "../../api/runs/runs.ts";
import { originQuery } from "../../api/versions.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../ui/overlay/dropdown.tsx";
import { keyNames } from "./actions/shortcuts.ts";
import { useEditor, useViewOnly } from "./editor-context.tsx";
import { compareAddress, historyAddress, mergeAddress } from "./history/version-addresses.ts";

/** Everything about the versions of the workflow. */
export function VersionsMenu() {
  return (
    <Dropdown
      align="start"
      trigger={
        <button
          type="button"
          aria-label="Versions"
          title={`Versions (History: ${keyNames.history})`}
          className={buttonClasses({ variant: "ghost", size: "icon" }, "data-[state=open]:bg-hover")}
        >
          <History className="size-4" aria-hidden="true" />
        </button>
      }
    >
      <Entries />
    </Dropdown>
  );
}

/** Mounted when the menu opens: only then it matters whether this is a clone. */
function Entries() {
  const { ui } = useEditor();
  const viewOnly = useViewOnly();
  const navigate = useNavigate();
  const { projectId = "", graphId = "" } = useParams();
  const { data: origin } = useQuery(originQuery(graphId));
  const { data: deployment } = useQuery(deploymentQuery(graphId));
  const source = origin?.graph;
  const go = (address: string) => void navigate(address);
  return (
    <>
      <Entry
        icon={History}
        text="History"
        keys={keyNames.history}
        onSelect={() => go(historyAddress(projectId, graphId))}
      />
      <Entry icon={ListChecks} text="Runs" onSelect={() => go(runsAddress({ graph: graphId }))} />
      {viewOnly ? null : (
        <>
          <Entry
            icon={Tag}
            text="Name this version…"
            keys={keyNames.nameVersion}
            onSelect={() => ui.set({ dialog: { type: "name-version" } })}
          />
          <Entry icon={BookUp} text="Publish…" onSelect={() => ui.set({ dialog: { type: "publish-version" } })} />
          <Entry
            icon={Rocket}
            text={deployment ? "New release…" : "Deploy…"}
            onSelect={() => ui.set({ dialog: { type: "deploy" } })}
          />
        </>
      )}
      {deployment ? (
        <Entry icon={AppWindow} text="Deployment" onSelect={() => go(deploymentAddress(projectId, graphId))} />
      ) : null}
      <DropdownSeparator />
      <Entry icon={GitCompareArrows} text="Compare…" onSelect={() => go(compareAddress(projectId, graphId))} />
      {viewOnly ? null : (
        <>
          <Entry icon={GitMerge} text="Merge from…" onSelect={() => go(mergeAddress(projectId, graphId))} />
          <Entry icon={FolderUp} text="Import a folder…" onSelect={() => go(importAddress(projectId, graphId))} />
        </>
      )}
      {source ? (
        <>
          <DropdownSeparator />
          <Entry
            icon={Undo2}
            text={`Bring changes back to ${source.name}`}
            onSelect={() => go(mergeAddress(source.project.id, source.id, graphId))}
          />
          {viewOnly ? null : (
            <Entry
              icon={GitFork}
              text={`Get changes from ${source.name}`}
              onSelect={() => go(mergeAddress(projectId, graphId, source.id))}
            />
          )}
          <Entry
            icon={GitCompareArrows}
            text={`Compare with ${source.name}`}
            onSelect={() => go(compareAddress(projectId, graphId, { before: "now", after: "now", with: source.id }))}
          />
        </>
      ) : null}
    </>
  );
}

interface EntryProps {
  icon: LucideIcon;
  text: string;
  keys?: string;
  onSelect: () => void;
}

function Entry({ icon: Icon, text, keys, onSelect }: EntryProps) {
  return (
    <DropdownItem onSelect={onSelect} className="max-w-80">
      <Icon className="size-4 shrink-0 text-ink-muted" aria-hidden="true" />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {text}
      </span>
      {keys ? <kbd className="pl-4 font-sans text-xs text-ink-faint">{keys}</kbd> : null}
    </DropdownItem>
  );
}
