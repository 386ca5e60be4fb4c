import { Braces, PanelLeft, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { useIde, useIdeView, useNode } from "../../panels/code/ide-context.tsx";

/** The open nodes. Closing a tab loses nothing: uncommitted code is kept. */
export function TabStrip({ active }: { active: number | undefined }) {
  const { ide } = useIde();
  const tabs = useIdeView((view) => view.tabs);
  return (
    <div className="flex h-10 shrink-0 items-stretch border-b border-line bg-sunken">
      <IconButton icon={PanelLeft} label="Nodes" className="m-1 md:hidden" onClick={() => ide.set({ files: true })} />
      <div data-tabs="" className="flex min-w-0 flex-1 overflow-x-auto [scrollbar-width:none]">
        {/* The close buttons stand beside the tabs, because a tablist may contain only tabs. */}
        {tabs.length > 0 ? (
          <div role="tablist" aria-label="Open nodes" aria-owns={tabs.map((id) => `code-tab-${id}`).join(" ")} />
        ) : null}
        {tabs.map((id) => (
          <Tab key={id} id={id} isActive={id === active} />
        ))}
      </div>
    </div>
  );
}

function Tab({ id, isActive }: { id: number; isActive: boolean }) {
  const { open, closeTab } = useIde();
  const node = useNode(id);
  // A deleted node keeps its last name.
  const [name, setName] = useState(node?.name ?? `Node ${id}`);
  if (node && node.name !== name) setName(node.name);
  const isUnsaved = useIdeView((view) => view.unsaved.get(id) === true);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isActive) return;
    // In the next frame, which computes the layout anyway.
    const frame = requestAnimationFrame(() => element.current?.scrollIntoView({ block: "nearest", inline: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, [isActive]);
  return (
    <div
      ref={element}
      data-testid="code-tab"
      data-node-id={id}
      onAuxClick={(event) => {
        if (event.button === 1) closeTab(id);
      }}
      className={classes(
        "group relative flex max-w-56 shrink-0 items-center gap-1 border-r border-line pl-3 pr-1.5",
        isActive
          ? "bg-surface text-ink shadow-[inset_0_2px_0_var(--accent),0_1px_0_var(--surface)]"
          : "text-ink-muted hover:bg-hover hover:text-ink",
      )}
    >
      <button
        type="button"
        role="tab"
        id={`code-tab-${id}`}
        aria-selected={isActive}
        aria-controls={`code-panel-${id}`}
        tabIndex={isActive ? 0 : -1}
        onClick={() => open(id)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
          const tabs = [
            ...(event.currentTarget.closest("[data-tabs]")?.querySelectorAll<HTMLElement>("[role=tab]") ?? []),
          ];
          const step = event.key === "ArrowLeft" ? -1 : 1;
          const next = tabs[(tabs.indexOf(event.currentTarget) + step + tabs.length) % tabs.length];
          next?.focus();
          next?.click();
        }}
        className="flex h-full min-w-0 items-center gap-1.5 -outline-offset-2"
      >
        <Braces className="size-3.5 shrink-0 text-ink-faint" aria-hidden="true" />
        <span dir="auto" className={classes("truncate text-base", !node && "line-through")} title={name}>
          {name}
        </span>
        {isUnsaved ? <span className="sr-only">, not committed</span> : null}
      </button>
      <span className="relative grid size-6 place-items-center">
        {isUnsaved ? (
          <span
            aria-hidden="true"
            data-testid="tab-unsaved"
            className="absolute size-2 rounded-full bg-warning group-focus-within:opacity-0 group-hover:opacity-0"
          />
        ) : null}
        <button
          type="button"
          aria-label={`Close ${name}`}
          onClick={() => closeTab(id)}
          className={classes(
            "grid size-5 place-items-center rounded-sm text-ink-faint hover:bg-hover hover:text-ink",
            isUnsaved || !isActive ? "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100" : "",
          )}
        >
          <X className="size-3.5" aria-hidden="true" />
        </button>
      </span>
    </div>
  );
}
