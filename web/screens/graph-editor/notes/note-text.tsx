import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";

import { Markdown } from "../../../ui/markdown/markdown.tsx";

/** The space below the last line, as in notes.css. */
const padding = 12;
const scrollKeys = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "]);

/** The text of a note. When it is longer than its card, it fades at the lower end and can be scrolled. */
export function NoteText({ text, selected }: { text: string; selected: boolean }) {
  const area = useRef<HTMLDivElement>(null);
  const { isLong, hasMore } = useOverflow(area);
  const long = isLong
    ? { role: "group", "aria-label": "Text of the note", tabIndex: 0, onKeyDown: keepScrollKeys }
    : undefined;
  return (
    <div
      ref={area}
      {...long}
      className={selected ? "note-text nowheel" : "note-text"}
      data-testid="note-text"
      data-more={hasMore || undefined}
    >
      <Markdown text={text} />
    </div>
  );
}

/** Whether the text is longer than its card, and whether some of it is below what is seen. */
function useOverflow(area: RefObject<HTMLDivElement | null>) {
  const [isLong, setLong] = useState(false);
  const [hasMore, setMore] = useState(false);
  useEffect(() => {
    const box = area.current;
    const text = box?.firstElementChild;
    if (!box || !text) return undefined;
    const check = () => {
      const over = box.scrollHeight - box.clientHeight;
      setLong(over > padding);
      setMore(over - box.scrollTop > padding);
    };
    const sizes = new ResizeObserver(check);
    sizes.observe(box);
    sizes.observe(text);
    box.addEventListener("scroll", check, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener("scroll", check);
    };
  }, [area]);
  return { isLong, hasMore };
}

/** The canvas would move the note with the keys that scroll its text. */
function keepScrollKeys(event: KeyboardEvent): void {
  if (scrollKeys.has(event.key) && event.target === event.currentTarget) event.stopPropagation();
}
