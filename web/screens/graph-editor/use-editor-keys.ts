import { useEffect } from "react";

import type { Editor } from "./editor-context.tsx";
import { handleKey } from "./shortcuts.ts";

/** Keys and the clipboard belong to the canvas unless somebody is typing or a dialog is open. */
export function useEditorKeys({ actions, ui }: Pick<Editor, "actions" | "ui">): void {
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
      const node = event.target instanceof Element ? event.target.closest<HTMLElement>(".react-flow__node") : null;
      if (node && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        const id = Number(node.dataset["id"]);
        if (Number.isFinite(id)) ui.select(event.shiftKey ? [...ui.get().selected, id] : [id]);
        return;
      }
      if (handleKey(event, actions, ui)) event.preventDefault();
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
    addEventListener("copy", onCopy);
    addEventListener("cut", onCopy);
    addEventListener("paste", onPaste);
    return () => {
      removeEventListener("keydown", onKeyDown);
      removeEventListener("copy", onCopy);
      removeEventListener("cut", onCopy);
      removeEventListener("paste", onPaste);
    };
  }, [actions, ui]);
}

function hasSelectedText(): boolean {
  return (getSelection()?.toString() ?? "") !== "";
}
