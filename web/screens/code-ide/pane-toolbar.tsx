import { foldAll, unfoldAll } from "@codemirror/language";
import { openSearchPanel } from "@codemirror/search";
import {
  ChartLine,
  ChartNoAxesColumn,
  Code,
  Ellipsis,
  GitCommitHorizontal,
  History,
  ListTree,
  ScrollText,
  Server,
  Undo2,
} from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";

import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { CommentsButton } from "../../panels/comments/comments-button.tsx";
import { LastChange } from "../../panels/last-change.tsx";
import { rememberLog } from "../../panels/logs/log-on-run.ts";
import { RunState } from "../../panels/processor/run-state.tsx";
import { useComments } from "../../providers/comments/comments-provider.tsx";
import { useGraph } from "../../providers/object-provider.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Dropdown, DropdownCheckbox, DropdownItem, DropdownSeparator } from "../../ui/overlay/dropdown.tsx";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { format } from "../../panels/code/format.ts";
import { useCommentsOpen } from "./ide-comments.tsx";
import { GitMenu, useGit } from "./git-menu.tsx";
import { RunMenu } from "../../panels/code/run-menu.tsx";
import { keyNames } from "../../panels/code/shortcuts.ts";
import { useIde, useIdeView, useMayWrite } from "../../panels/code/ide-context.tsx";

interface PaneToolbarProps {
  node: Node;
  isHistory: boolean;
}

/** The actions for the visible node. */
export function PaneToolbar({ node, isHistory }: PaneToolbarProps) {
  const { ide, base } = useIde();
  const id = node.metadata_id;
  const mayWrite = useMayWrite(id);
  const isUnsaved = useIdeView((view) => view.unsaved.get(id) === true);
  const viewOnly = useGraph((view) => view.viewOnly);
  const comments = useComments();
  const hasCommentsOpen = useCommentsOpen();
  const chosenSide = useIdeView((view) => view.side);
  const side = hasCommentsOpen ? null : chosenSide;
  const showSide = (one: NonNullable<typeof chosenSide>) => {
    comments?.store.close();
    if (!hasCommentsOpen || chosenSide !== one) ide.toggleSide(one);
  };
  const metrics = useIdeView((view) => view.metrics);
  const logs = useIdeView((view) => view.logs && !view.metrics);
  const git = useGit(node);
  const pressed = "bg-accent-soft text-accent-text";
  return (
    <div
      role="toolbar"
      aria-label="Code"
      className="flex h-11 shrink-0 items-center gap-1 border-b border-line bg-surface px-2 max-sm:gap-0 max-sm:px-1"
    >
      {isHistory ? (
        <Link to={`${base}/${id}`} className={buttonClasses({ variant: "ghost", size: "sm" })}>
          <Code className="size-4" aria-hidden="true" />
          Code
        </Link>
      ) : (
        <>
          {mayWrite ? (
            <>
              <Button
                size="sm"
                variant={isUnsaved ? "primary" : "secondary"}
                disabled={!isUnsaved}
                onClick={() => ide.set({ dialog: "commit" })}
                title={keyNames.commit}
              >
                <GitCommitHorizontal className="size-4" aria-hidden="true" />
                <span className="max-sm:sr-only">Commit</span>
              </Button>
              <Button
                size="sm"
                variant="ghost"
                disabled={!isUnsaved}
                onClick={() => ide.set({ dialog: "discard" })}
                className="max-sm:hidden"
              >
                <Undo2 className="size-4" aria-hidden="true" />
                Discard changes
              </Button>
            </>
          ) : null}
          <Tooltip text={<LastChange node={id} />} side="bottom">
            <Link to={`${base}/${id}/history`} className={buttonClasses({ variant: "ghost", size: "sm" })}>
              <History className="size-4" aria-hidden="true" />
              <span className="max-sm:sr-only">History</span>
            </Link>
          </Tooltip>
          {viewOnly ? null : <GitMenu items={git.items} />}
          {viewOnly ? null : <RunMenu node={node} />}
        </>
      )}
      <span className="max-sm:hidden">
        <RunState />
      </span>
      <span className="flex-1" />
      {isHistory ? null : (
        <IconButton
          icon={ListTree}
          label="Attributes"
          aria-pressed={side === "attributes"}
          className={side === "attributes" ? pressed : ""}
          onClick={() => showSide("attributes")}
        />
      )}
      {isHistory ? null : (
        <IconButton
          icon={ChartNoAxesColumn}
          label="Outputs"
          aria-pressed={side === "outputs"}
          className={side === "outputs" ? pressed : ""}
          onClick={() => showSide("outputs")}
        />
      )}
      <CommentsButton />
      <IconButton
        icon={Server}
        label="Processor"
        aria-pressed={side === "processor"}
        className={side === "processor" ? pressed : ""}
        onClick={() => showSide("processor")}
      />
      <IconButton
        icon={ScrollText}
        label={`Logs (${keyNames.logs})`}
        aria-pressed={logs}
        className={logs ? pressed : ""}
        onClick={() => rememberLog(ide.toggleLogs())}
      />
      <IconButton
        icon={ChartLine}
        label="Metrics"
        aria-pressed={metrics}
        className={classes("max-sm:hidden", metrics && pressed)}
        onClick={() => ide.set({ metrics: !metrics })}
      />
      <EditorMenu id={id} mayWrite={mayWrite} isUnsaved={isUnsaved} isHistory={isHistory}>
        {viewOnly ? null : (
          <div className="sm:hidden">
            <DropdownSeparator />
            {git.items}
          </div>
        )}
      </EditorMenu>
      {git.refusal}
    </div>
  );
}

interface EditorMenuProps {
  id: number;
  mayWrite: boolean;
  isUnsaved: boolean;
  isHistory: boolean;
  /** More entries, for actions that do not fit into the toolbar. */
  children: ReactNode;
}

function EditorMenu({ id, mayWrite, isUnsaved, isHistory, children }: EditorMenuProps) {
  const { ide, documents } = useIde();
  const metrics = useIdeView((view) => view.metrics);
  const wrap = useIdeView((view) => view.wrap);
  const fontSize = useIdeView((view) => view.fontSize);
  const view = () => ide.views.get(id);
  const history = () => documents.get(id).state().live?.undo;
  const shortcut = (keys: string) => <span className="ml-auto pl-6 text-xs text-ink-faint">{keys}</span>;
  return (
    <Dropdown
      trigger={
        <button type="button" aria-label="More" className={classes(buttonClasses({ variant: "ghost", size: "icon" }))}>
          <Ellipsis className="size-4" aria-hidden="true" />
        </button>
      }
    >
      {isHistory ? null : (
        <>
          <DropdownItem onSelect={() => setTimeout(() => openSearch(view()))}>
            Find and replace{shortcut(keyNames.find)}
          </DropdownItem>
          {mayWrite ? (
            <>
              <DropdownItem onSelect={() => void history()?.undo()}>Undo{shortcut(keyNames.undo)}</DropdownItem>
              <DropdownItem onSelect={() => void history()?.redo()}>Redo{shortcut(keyNames.redo)}</DropdownItem>
              <DropdownItem onSelect={() => run(view(), (shown) => (void format(shown, id), true))}>
                Format{shortcut(keyNames.format)}
              </DropdownItem>
              <DropdownItem className="sm:hidden" disabled={!isUnsaved} onSelect={() => ide.set({ dialog: "discard" })}>
                Discard changes
              </DropdownItem>
            </>
          ) : null}
          {children}
          <DropdownItem onSelect={() => run(view(), foldAll)}>Fold everything</DropdownItem>
          <DropdownItem onSelect={() => run(view(), unfoldAll)}>Unfold everything</DropdownItem>
          <DropdownSeparator />
        </>
      )}
      <DropdownCheckbox
        className="sm:hidden"
        checked={metrics}
        onCheckedChange={(checked) => ide.set({ metrics: checked })}
      >
        Metrics
      </DropdownCheckbox>
      <DropdownCheckbox checked={wrap} onCheckedChange={(checked) => ide.setWrap(checked)}>
        Wrap long lines{shortcut(keyNames.wrap)}
      </DropdownCheckbox>
      <DropdownItem
        onSelect={(event) => {
          event.preventDefault();
          ide.setFontSize(fontSize + 1);
        }}
      >
        Larger text{shortcut(`${fontSize} px`)}
      </DropdownItem>
      <DropdownItem
        onSelect={(event) => {
          event.preventDefault();
          ide.setFontSize(fontSize - 1);
        }}
      >
        Smaller text
      </DropdownItem>
      <DropdownSeparator />
      <DropdownItem onSelect={() => ide.set({ dialog: "shortcuts" })}>
        Keyboard shortcuts{shortcut(keyNames.shortcuts)}
      </DropdownItem>
    </Dropdown>
  );
}

type View = Parameters<typeof openSearchPanel>[0];

function openSearch(view: View | undefined): void {
  if (view) openSearchPanel(view);
}

function run(view: View | undefined, command: (view: View) => boolean): void {
  if (!view) return;
  command(view);
  view.focus();
}
