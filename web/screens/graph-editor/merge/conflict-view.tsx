import { Check, Pencil } from "lucide-react";
import { type ReactNode, Suspense } from "react";

import type { Conflict, Resolution } from "@miranda/contract/schemas/versions.ts";

import { lazyPart } from "../../../load-part.ts";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { TextAreaField } from "../../../ui/form/field.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { LongText } from "../../../ui/text/long-text.tsx";
import { valueText } from "../compare/difference-details.tsx";
import { conflictWords, type Decisions, editedText, isEditable, isTyped, parseTyped } from "./resolutions.ts";

const CodeField = lazyPart(() =>
  import("../../../ui/code-editor/code-field.tsx").then((m) => ({ default: m.CodeField })),
);

interface ConflictViewProps {
  conflict: Conflict;
  decision: ReturnType<Decisions["get"]>;
  hasBase: boolean;
  theirsName: string;
  mineName: string;
  onDecide: (decision: NonNullable<ReturnType<Decisions["get"]>>) => void;
}

/** One conflict: how it was, how each side has it, and what is to become of it. */
export function ConflictView({ conflict, decision, hasBase, theirsName, mineName, onDecide }: ConflictViewProps) {
  const isEditing = typeof decision === "object";
  const start = decision === "theirs" ? conflict.theirs : conflict.mine;
  return (
    <article
      aria-label={`${conflict.name}: ${conflictWords(conflict)}`}
      data-testid="conflict"
      className="flex min-h-0 flex-1 flex-col"
    >
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
        <h2 className="min-w-0 truncate font-semibold" dir="auto">
          {conflict.name}
        </h2>
        <span className="min-w-0 flex-1 truncate text-ink-muted">{conflictWords(conflict)}</span>
        {isEditable(conflict) ? (
          <Button
            size="sm"
            aria-pressed={isEditing}
            onClick={() => onDecide(parseTyped(conflict, editedText(conflict, start)))}
          >
            <Pencil className="size-3.5" aria-hidden="true" />
            Edit
          </Button>
        ) : null}
      </header>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <div
          className={classes(
            // On a small screen the sides are below each other, each as tall as what it shows, and all of them scroll.
            "grid min-h-40 flex-1 divide-line max-lg:flex-none max-lg:divide-y lg:divide-x",
            hasBase ? "lg:grid-cols-3" : "lg:grid-cols-2",
          )}
        >
          {hasBase ? (
            <Side title="Base" hint="What both started from" value={conflict.base} conflict={conflict} />
          ) : null}
          <Side
            title="Theirs"
            hint={theirsName}
            value={conflict.theirs}
            conflict={conflict}
            isChosen={decision === "theirs"}
            onChoose={() => onDecide("theirs")}
          />
          <Side
            title="Mine"
            hint={`${mineName}, open here`}
            value={conflict.mine}
            conflict={conflict}
            isChosen={decision === "mine"}
            onChoose={() => onDecide("mine")}
          />
        </div>
        {isEditing ? <Edited conflict={conflict} decision={decision} onDecide={onDecide} /> : null}
      </div>
    </article>
  );
}

interface SideProps {
  title: "Base" | "Theirs" | "Mine";
  hint: string;
  value: unknown;
  conflict: Conflict;
  isChosen?: boolean;
  onChoose?: () => void;
}

function Side({ title, hint, value, conflict, isChosen = false, onChoose }: SideProps) {
  return (
    <section
      aria-label={title}
      className={classes("flex min-w-0 flex-col lg:min-h-32", isChosen ? "bg-accent-soft/50" : null)}
    >
      <header className="flex min-h-14 shrink-0 items-center gap-2 px-4 py-1.5">
        <div className="min-w-0 flex-1">
          <h3 className="font-medium">{title}</h3>
          <p dir="auto" title={hint} className="truncate text-xs text-ink-muted">
            {hint}
          </p>
        </div>
        {onChoose ? (
          <Button size="sm" variant={isChosen ? "primary" : "secondary"} aria-pressed={isChosen} onClick={onChoose}>
            {isChosen ? <Check className="size-3.5" aria-hidden="true" /> : null}
            Use {title.toLowerCase()}
          </Button>
        ) : null}
      </header>
      <div className="min-h-0 flex-1 border-t border-line lg:overflow-auto">
        <SideValue title={title} value={value} conflict={conflict} />
      </div>
    </section>
  );
}

function SideValue({ title, value, conflict }: Pick<SideProps, "title" | "value" | "conflict">): ReactNode {
  if (conflict.kind === "code") {
    return (
      <>
        <Around text={conflict.around?.before} />
        {typeof value !== "string" || value === "" ? (
          <Words>No lines here.</Words>
        ) : (
          // As tall as its lines: otherwise it fills the side, and the lines after it are out of sight.
          <div>
            <Suspense fallback={<LoadingArea label="Opening the code" />}>
              {/* The line end of its last line would be shown as one more line. */}
              <CodeField value={value.replace(/\n$/, "")} label={`${title}: code`} isPart />
            </Suspense>
          </div>
        )}
        <Around text={conflict.around?.after} />
      </>
    );
  }
  const isMissing = value === null || value === undefined;
  if (!isEditable(conflict))
    return <Words>{isMissing ? "Deleted here." : title === "Base" ? "It was there." : "Changed here."}</Words>;
  if (isMissing && conflict.kind === "value") return <Words>Not set: the value in the code counts.</Words>;
  return (
    <p className="p-4 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
      <LongText text={valueText(value)} />
    </p>
  );
}

/** The settled lines beside a hunk. */
function Around({ text = "" }: { text?: string | undefined }) {
  if (text === "") return null;
  return (
    <pre className="bg-sunken px-4 py-1 font-mono text-(length:--code-size,13px) leading-[1.6] wrap-anywhere whitespace-pre-wrap text-ink-muted">
      {text.replace(/\n$/, "")}
    </pre>
  );
}

function Words({ children }: { children: string }) {
  return <p className="p-4 text-ink-muted">{children}</p>;
}

interface EditedProps {
  conflict: Conflict;
  decision: Extract<ConflictViewProps["decision"], object>;
  onDecide: ConflictViewProps["onDecide"];
}

/** The result, written by hand. */
function Edited({ conflict, decision, onDecide }: EditedProps) {
  const text = isTyped(decision) && "typed" in decision ? decision.typed : textOf(conflict, decision);
  const problem = "problem" in decision ? decision.problem : undefined;
  if (conflict.kind === "code")
    return (
      <section aria-label="Result" className="flex h-56 shrink-0 flex-col border-t border-line">
        <h3 className="flex h-9 shrink-0 items-center px-4 text-sm font-medium">Result</h3>
        <div className="min-h-0 flex-1 overflow-hidden border-t border-line">
          <Suspense fallback={<LoadingArea label="Opening the code" />}>
            <CodeField value={text} label="Result" onChange={(typed) => onDecide({ value: typed })} isPart />
          </Suspense>
        </div>
      </section>
    );
  return (
    <div className="shrink-0 border-t border-line p-4">
      <TextAreaField
        label="Result"
        dir="auto"
        rows={3}
        value={text}
        error={problem}
        onChange={(event) => onDecide(parseTyped(conflict, event.target.value))}
        className="font-mono"
      />
    </div>
  );
}

function textOf(conflict: Conflict, decision: Exclude<Resolution, string> | { typed: string }): string {
  return "value" in decision ? editedText(conflict, decision.value) : "";
}
