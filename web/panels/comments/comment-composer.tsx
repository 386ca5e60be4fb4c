import { useEffect, useId, useRef, useState } from "react";

import { comment as limits } from "@miranda/contract/limits.ts";
import { mentionBefore } from "@miranda/contract/mentions.ts";
import type { CommentPerson, SentComment } from "@miranda/contract/schemas/comments/comments.ts";

import { useMentioned } from "../../api/comments/comments.ts";
import { messageOf } from "../../message-of.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { counted } from "../../ui/counted.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { notNotifiedWords } from "./comment-words.ts";

interface CommentComposerProps {
  graphId: string;
  label: string;
  /** Shows the label above the text too: the text covers the placeholder. */
  showsLabel?: boolean;
  text: string;
  onText: (text: string) => void;
  /** Sends the text. The text stays when this fails. */
  send: (body: string) => Promise<SentComment>;
  action?: string;
  onSent: () => void;
  onCancel?: (() => void) | undefined;
  takesFocus?: boolean;
}

const nearlyFull = 500;

/** A text of Markdown with people's names. */
export function CommentComposer(props: CommentComposerProps) {
  const { graphId, label, text, onText, send, action = "Comment", onSent, onCancel, takesFocus = false } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [closedAt, setClosedAt] = useState(-1);
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const mention = mentionBefore(text, caret);
  const query = mention && mention.from !== closedAt ? mention.query : undefined;
  const { data: people = [] } = useMentioned(graphId, query);
  const offered = query === undefined ? [] : people;
  const at = Math.min(chosen, offered.length - 1);
  const left = limits.textMax - text.trim().length;

  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);

  async function submit(): Promise<void> {
    if (isBusy || left < 0 || text.trim() === "") return;
    setBusy(true);
    setError(null);
    try {
      const { not_notified } = await send(text.trim());
      if (not_notified.length > 0) toast.warning(notNotifiedWords(not_notified));
      onSent();
    } catch (cause) {
      setError(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  function insert({ username }: CommentPerson): void {
    if (!mention) return;
    const next = `${text.slice(0, mention.from)}@${username} ${text.slice(caret).replace(/^ /, "")}`;
    const place = mention.from + username.length + 2;
    onText(next);
    setCaret(place);
    setChosen(0);
    // After React has put the new text into the field.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(place, place);
    });
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return void submit();
    }
    const person = offered[at];
    if (person) {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (step !== 0) setChosen((at + step + offered.length) % offered.length);
      else if (event.key === "Enter" || event.key === "Tab") insert(person);
      else if (event.key === "Escape") setClosedAt(mention?.from ?? -1);
      else return;
      return event.preventDefault();
    }
    if (event.key === "Escape" && onCancel) onCancel();
  }

  return (
    <form
      className="relative flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {props.showsLabel ? (
        <p dir="auto" aria-hidden="true" className="-mb-1 truncate text-xs text-ink-muted" data-testid="comment-about">
          {label}
        </p>
      ) : null}
      <textarea
        ref={field}
        aria-label={label}
        placeholder={label}
        rows={2}
        dir="auto"
        value={text}
        aria-invalid={left < 0}
        aria-describedby={error === null ? undefined : `${id}-error`}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an input has one line
        role="combobox"
        aria-expanded={offered.length > 0}
        aria-controls={`${id}-people`}
        aria-autocomplete="list"
        aria-activedescendant={offered.length > 0 ? `${id}-${at}` : undefined}
        onChange={(event) => {
          onText(event.target.value);
          setCaret(event.target.selectionStart);
          setChosen(0);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-60 min-h-16 w-full resize-none rounded-md border border-line-strong bg-surface px-3 py-2 text-lg text-ink placeholder:text-ink-faint focus-visible:outline-offset-0 sm:text-base"
      />
      {offered.length > 0 ? (
        <div
          id={`${id}-people`}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select could not stand below a text
          role="listbox"
          aria-label="People"
          className="-mt-1 max-h-56 overflow-y-auto rounded-lg bg-raised p-1 shadow-high"
        >
          {offered.map((person, place) => (
            <div
              key={person.id}
              id={`${id}-${place}`}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
              role="option"
              tabIndex={-1}
              aria-selected={place === at}
              // The field keeps the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                insert(person);
              }}
              className={classes(
                "flex cursor-default items-center gap-2 rounded-sm px-2 py-1.5",
                place === at ? "bg-hover" : null,
              )}
            >
              <Avatar name={person.name} src={person.avatar} size="sm" />
              <span className="min-w-0 truncate">{person.name}</span>
              <span className="min-w-0 truncate text-sm text-ink-muted">@{person.username}</span>
            </div>
          ))}
        </div>
      ) : null}
      {error === null ? null : (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger-text">
          Not sent. {error} Your text is kept.
        </p>
      )}
      <div className="flex items-center gap-2">
        <span className={classes("flex-1 text-xs", left < 0 ? "text-danger-text" : "text-ink-faint")}>
          {left < 0
            ? `${counted(-left, "character")} too many`
            : left < nearlyFull
              ? `${counted(left, "character")} left`
              : "Markdown. @ mentions people."}
        </span>
        {onCancel ? (
          <Button size="sm" variant="ghost" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
        <Button type="submit" size="sm" variant="primary" busy={isBusy} disabled={left < 0 || text.trim() === ""}>
          {action}
        </Button>
      </div>
    </form>
  );
}
