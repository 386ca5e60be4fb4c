import { useEffect } from "react";

import type { Editor } from "../editor-context.tsx";
import { groupPrefix } from "../canvas/flow-model.ts";
import { handleKey } from "./shortcuts.ts";

/** Keys and the clipboard belong to the canvas unless somebody is typing or a dialog is open. */
export function useEditorKeys({ actions, ui, session }: Pick<Editor, "actions" | "ui" | "session">): void {
  useEffect(() => {
    const isElsewhere = (event: Event) => {
      const target = event.target instanceof Element ? event.target : null;
      const isTyping = target?.closest("input, textarea, select, [contenteditable=true]");
      // What stands beside the canvas has keys of its own.
      const isBeside = target?.closest("aside, section, header") && !target.closest("[data-editor]");
      return Boolean(isTyping ?? isBeside) || document.querySelector("[role=dialog][data-state=open]") !== null;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      // Finding works from inside a field, too: the browser's own search cannot see what is not drawn.
      const isFind = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "f";
      if (event.defaultPrevented || (isElsewhere(event) && !isFind)) return;
      const onButton = event.target instanceof Element && event.target.closest("button, a, [role=menuitem]");
      if (onButton && (event.key === "Enter" || event.key === " ")) return;
      const focused = focusedThing(event);
      if (focused && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        const { selected } = ui.get();
        const id = Number(focused.dataset["id"]);
        // What is selected already is opened.
        if (event.key === "Enter" && !event.shiftKey && selected.size === 1 && selected.has(id)) actions.openCode(id);
        else choose(focused, event.shiftKey);
        return;
      }
      // What has the focus is what arrows move, also when nothing was chosen before.
      if (focused && event.key.startsWith("Arrow") && ui.get().selected.size === 0 && !event.altKey) choose(focused);
      if (handleKey(event, actions, ui)) event.preventDefault();
    };
    const choose = (thing: HTMLElement | SVGElement, more = false) => {
      const id = thing.dataset["id"] ?? "";
      const { selected } = ui.get();
      if (thing.matches(".react-flow__edge")) return ui.select([], [id]);
      const group = session.store.content().groups[id.replace(groupPrefix, "")];
      const ids = group?.metadata_ids ?? [Number(id)].filter(Number.isFinite);
      if (ids.length === 0) return;
      ui.select(more ? [...selected, ...ids] : ids);
      // Not below the panel that opens with it.
      actions.keepInView(ids);
    };
    const onFocusIn = (event: FocusEvent) => {
      const card = focusedThing(event);
      const id = Number(card?.dataset["id"]);
      if (Number.isFinite(id) && card?.matches(":focus-visible")) actions.keepInView([id]);
    };
    const onCopy = (event: ClipboardEvent) => {
      const text = isElsewhere(event) || hasSelectedText() ? undefined : actions.copyText();
      if (text === undefined) return;
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
      if (event.type === "cut") actions.remove();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (isElsewhere(event)) return;
      event.preventDefault();
      void actions.pasteText(event.clipboardData?.getData("text/plain") ?? "");
    };
    addEventListener("keydown", onKeyDown);
    addEventListener("focusin", onFocusIn);
    addEventListener("copy", onCopy);
    addEventListener("cut", onCopy);
    addEventListener("paste", onPaste);
    return () => {
      removeEventListener("keydown", onKeyDown);
      removeEventListener("focusin", onFocusIn);
      removeEventListener("copy", onCopy);
      removeEventListener("cut", onCopy);
      removeEventListener("paste", onPaste);
    };
  }, [actions, ui, session]);
}

/** The node, group or edge that has the focus itself, not something inside it. */
function focusedThing({ target }: Event): HTMLElement | SVGElement | undefined {
  const isThing = target instanceof Element && target.matches(".react-flow__node, .react-flow__edge");
  return isThing ? (target as HTMLElement | SVGElement) : undefined;
}

function hasSelectedText(): boolean {
  return (getSelection()?.toString() ?? "") !== "";
}
