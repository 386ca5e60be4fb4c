import { useEffect } from "react";

import type { Editor } from "../editor-context.tsx";
import { groupPrefix } from "../cards/collapsed-groups.ts";
import { isOnlyForHint } from "../../../ui/overlay/hint-escape.ts";
import { handleKey, takeNoteText } from "./shortcuts.ts";

/** Handles keys and clipboard events for the canvas, unless the person types or a dialog is open. */
export function useEditorKeys({ actions, ui, session }: Pick<Editor, "actions" | "ui" | "session">): void {
  useEffect(() => {
    const isElsewhere = (event: Event) => {
      const target = event.target instanceof Element ? event.target : null;
      const isTyping = target?.closest("input, textarea, select, [contenteditable=true]");
      // Panels beside the canvas have keys of their own.
      const isBeside = target?.closest("aside, section, header") && !target.closest("[data-editor]");
      return Boolean(isTyping ?? isBeside) || document.querySelector("[role=dialog][data-state=open]") !== null;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      // Find works inside a field too: the browser's own search cannot find nodes that are not drawn.
      const isFind = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "f" && !event.shiftKey;
      const isUsed = event.defaultPrevented && !isOnlyForHint(event);
      if (isUsed || (isElsewhere(event) && !isFind && !isForCode(event))) return;
      if (takeNoteText(event, ui)) return event.preventDefault();
      const onButton = event.target instanceof Element && event.target.closest("button, a, [role=menuitem]");
      if (onButton && (event.key === "Enter" || event.key === " ")) return;
      const focused = focusedElement(event);
      if (focused && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        const { selected } = ui.get();
        const id = Number(focused.dataset["id"]);
        // Enter opens a node that is already selected.
        if (event.key === "Enter" && !event.shiftKey && selected.size === 1 && selected.has(id)) actions.openCode(id);
        else choose(focused, event.shiftKey);
        return;
      }
      // Arrow keys move the focused node, even when nothing is selected.
      if (focused && event.key.startsWith("Arrow") && ui.get().selected.size === 0 && !event.altKey) choose(focused);
      if (handleKey(event, actions, ui)) event.preventDefault();
    };
    const choose = (element: HTMLElement | SVGElement, more = false) => {
      const id = element.dataset["id"] ?? "";
      const { selected } = ui.get();
      if (element.matches(".react-flow__edge")) return ui.select([], [id]);
      const group = session.store.content().groups[id.replace(groupPrefix, "")];
      const ids = group?.metadata_ids ?? [Number(id)].filter(Number.isFinite);
      if (ids.length === 0) return;
      ui.select(more ? [...selected, ...ids] : ids);
      // Keep it out from below the panel that opens with it.
      actions.keepInView(ids);
    };
    const onFocusIn = (event: FocusEvent) => {
      const card = focusedElement(event);
      const id = Number(card?.dataset["id"]);
      if (Number.isFinite(id) && card?.matches(":focus-visible")) actions.keepInView([id]);
    };
    const onCopy = (event: ClipboardEvent) => {
      if (isElsewhere(event) || hasSelectedText()) return;
      // The event's own clipboard cannot wait.
      if (actions.isMaking()) {
        event.preventDefault();
        return void (event.type === "cut" ? actions.cut() : actions.copy());
      }
      const text = actions.copyText();
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

/** Finding code works inside a field too, as in the IDE: the browser would print the page instead. */
function isForCode({ metaKey, ctrlKey, shiftKey, key }: KeyboardEvent): boolean {
  const isKey = shiftKey ? ["f", "o"].includes(key.toLowerCase()) : key.toLowerCase() === "p";
  return isKey && (metaKey || ctrlKey) && document.querySelector("[role=dialog][data-state=open]") === null;
}

/** The node, group or edge that has the focus itself, not a child of it. */
function focusedElement({ target }: Event): HTMLElement | SVGElement | undefined {
  const isElement = target instanceof HTMLElement || target instanceof SVGElement;
  return isElement && target.matches(".react-flow__node, .react-flow__edge") ? target : undefined;
}

function hasSelectedText(): boolean {
  return (getSelection()?.toString() ?? "") !== "";
}
