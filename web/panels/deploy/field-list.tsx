import { ChevronDown, GripVertical } from "lucide-react";
import { type DragEvent, type KeyboardEvent, useId, useRef, useState } from "react";

import { deployment as limits } from "@miranda/contract/limits.ts";

import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { FieldSettings } from "./field-settings.tsx";
import { changed, type DraftField, moved, ticked } from "./release-draft.ts";

interface FieldListProps {
  fields: readonly DraftField[];
  /** The field whose settings are open. */
  open: string | null;
  onOpen: (key: string | null) => void;
  onChange: (fields: DraftField[]) => void;
}

export const fieldKey = ({ wob_key, attribute }: DraftField) => `${wob_key} ${attribute}`;

/** The fields that callers can be asked for. Ticked ones are in the order of the form: dragged, or moved by arrow keys. */
export function FieldList({ fields, open, onOpen, onChange }: FieldListProps) {
  const [dragged, setDragged] = useState<string | null>(null);
  const [told, setTold] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const count = fields.filter((field) => field.ticked).length;

  function move(from: number, to: number): void {
    const field = fields[from];
    if (!field) return;
    onChange(moved(fields, from, to));
    const place = Math.min(Math.max(to, 0), count - 1) + 1;
    setTold(`${field.label}: ${place} of ${count}`);
    const key = fieldKey(field);
    // React moves the row in the page, and the browser takes the focus away from what moves.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-handle="${CSS.escape(key)}"]`)?.focus(),
    );
  }

  function press(event: KeyboardEvent, at: number): void {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (by === 0) return;
    event.preventDefault();
    move(at, at + by);
  }

  function dragOver(event: DragEvent, at: number): void {
    if (dragged === null) return;
    event.preventDefault();
    const from = fields.findIndex((field) => fieldKey(field) === dragged);
    if (from !== at && fields[at]?.ticked) onChange(moved(fields, from, at));
  }

  if (fields.length === 0)
    return (
      <p className="text-sm text-ink-muted">
        No node of this version has a field that callers could fill in. The app asks for nothing.
      </p>
    );
  return (
    <>
      <ul ref={list} aria-label="Fields" className="flex flex-col divide-y divide-line rounded-lg border border-line">
        {fields.map((field, at) => {
          const key = fieldKey(field);
          return (
            <li
              key={key}
              data-testid="deploy-field"
              data-name={field.name}
              data-key={key}
              className={classes("bg-surface first:rounded-t-lg last:rounded-b-lg", dragged === key && "opacity-60")}
            >
              <div
                role="presentation"
                onDragOver={(event) => dragOver(event, at)}
                onDrop={(event) => event.preventDefault()}
              >
                <FieldRow
                  field={field}
                  isOpen={open === key}
                  onOpen={() => onOpen(open === key ? null : key)}
                  onTick={(isIn) => {
                    onChange(ticked(fields, at, isIn));
                    if (!isIn && open === key) onOpen(null);
                  }}
                  onChange={(changes) => onChange(changed(fields, at, changes))}
                  handle={
                    <button
                      type="button"
                      data-handle={key}
                      draggable
                      aria-label={`Move ${field.label}. Use the arrow keys.`}
                      title="Drag, or use the arrow keys"
                      onKeyDown={(event) => press(event, at)}
                      onDragStart={(event) => {
                        event.dataTransfer.effectAllowed = "move";
                        event.dataTransfer.setData("text/plain", field.name);
                        setDragged(key);
                      }}
                      onDragEnd={() => setDragged(null)}
                      className="grid h-8 w-5 shrink-0 cursor-grab place-items-center rounded-sm text-ink-faint hover:bg-hover hover:text-ink active:cursor-grabbing"
                    >
                      <GripVertical className="size-4" aria-hidden="true" />
                    </button>
                  }
                />
              </div>
            </li>
          );
        })}
      </ul>
      <p aria-live="polite" className="sr-only">
        {told}
      </p>
    </>
  );
}

interface FieldRowProps {
  field: DraftField;
  isOpen: boolean;
  onOpen: () => void;
  onTick: (isIn: boolean) => void;
  onChange: (changes: Partial<DraftField>) => void;
  handle: React.ReactNode;
}

function FieldRow({ field, isOpen, onOpen, onTick, onChange, handle }: FieldRowProps) {
  const id = useId();
  const where = `${field.node_name} · ${field.attribute}`;
  return (
    <>
      <div className="flex min-h-11 items-center gap-2 px-2.5 py-1">
        <input
          type="checkbox"
          checked={field.ticked}
          aria-label={`Ask for ${field.label}`}
          onChange={(event) => onTick(event.target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
        {field.ticked ? handle : null}
        {field.ticked ? (
          <input
            value={field.label}
            aria-label={`Label of ${field.attribute}`}
            required
            dir="auto"
            maxLength={limits.labelMax}
            onChange={(event) => onChange({ label: event.target.value })}
            className="h-8 min-w-0 flex-1 rounded-md border border-transparent bg-transparent px-2 text-lg font-medium hover:border-line-strong focus-visible:border-line-strong sm:text-base"
          />
        ) : (
          <span dir="auto" className="min-w-0 flex-1 truncate px-1 text-ink-muted">
            {oneLine(field.label)}
          </span>
        )}
        {field.ticked && field.required ? <Badge>Required</Badge> : null}
        <span dir="auto" className="max-w-44 min-w-0 truncate text-xs text-ink-faint max-sm:hidden" title={where}>
          {oneLine(where)}
        </span>
        {field.ticked ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={`Settings of ${field.label}`}
            onClick={onOpen}
            className={buttonClasses({ variant: "ghost", size: "icon" })}
          >
            <ChevronDown
              className={classes("size-4 transition-transform", isOpen && "rotate-180")}
              aria-hidden="true"
            />
          </button>
        ) : null}
      </div>
      {isOpen && field.ticked ? (
        <div id={id} className="border-t border-line bg-sunken/50 px-3 py-3 sm:pl-9">
          <FieldSettings field={field} onChange={onChange} />
        </div>
      ) : null}
    </>
  );
}
