import { type ReactNode, Suspense } from "react";

import { readUnfitText } from "@miranda/contract/graph/attributes/unfit-text.ts";
import type { EdgeDifference, FieldDifference, GroupDifference } from "@miranda/contract/schemas/versions.ts";

import { lazyPart } from "../../../load-part.ts";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { useMedia } from "../../../ui/layout/use-media.ts";
import { LongText } from "../../../ui/text/long-text.tsx";
import { type Change, fieldWords, shownFields } from "./changes.ts";
import { MarkBadge } from "./mark-badge.tsx";

// The code editor loads only when there is code to show.
const DiffView = lazyPart(() => import("../../../ui/code-editor/diff-view.tsx").then((m) => ({ default: m.DiffView })));

interface DifferenceDetailsProps {
  change: Change;
  nameOf: (lineage: string) => string;
  withMoves: boolean;
  action?: ReactNode;
}

/** One difference in full: code as a diff, everything else as before → after. */
export function DifferenceDetails({ change, nameOf, withMoves, action }: DifferenceDetailsProps) {
  return (
    <article
      aria-label={`${change.name}: what differs`}
      data-testid="difference"
      className="flex min-h-0 flex-1 flex-col"
    >
      <header className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line px-4 py-1.5">
        <MarkBadge mark={change.mark} />
        <h2 className="min-w-0 truncate font-semibold" dir="auto">
          {change.name}
        </h2>
        {change.type === "node" ? null : <span className="text-sm text-ink-muted">{change.about}</span>}
        {action ? <span className="ml-auto">{action}</span> : null}
      </header>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <Details change={change} nameOf={nameOf} withMoves={withMoves} />
      </div>
    </article>
  );
}

function Details({ change, nameOf, withMoves }: DifferenceDetailsProps): ReactNode {
  switch (change.type) {
    case "node":
      return <NodeDetails difference={change.difference} was={change.was} withMoves={withMoves} />;
    case "edge":
      return <EdgeDetails difference={change.difference} />;
    case "group":
      return <GroupDetails difference={change.difference} nameOf={nameOf} />;
  }
}

interface NodeDetailsProps extends Pick<Extract<Change, { type: "node" }>, "difference" | "was"> {
  withMoves: boolean;
}

function NodeDetails({ difference: { fields: all, after }, was, withMoves }: NodeDetailsProps) {
  const fields = shownFields(all, withMoves);
  const others = fields.filter(({ kind }) => kind !== "code");
  const isOnBoth = was !== undefined && after !== null;
  // A brief comparison has no code that is as before.
  const code =
    isOnBoth && !fields.some(({ kind }) => kind === "code")
      ? undefined
      : { before: was?.source_code ?? "", after: after ? (after.source_code ?? was?.source_code ?? "") : "" };
  const hasCode = code !== undefined && code.before !== code.after;
  return (
    <>
      {others.length > 0 ? (
        <Fields fields={others} />
      ) : isOnBoth && !hasCode ? (
        <Nothing>Nothing else differs.</Nothing>
      ) : null}
      {hasCode ? <Code before={code.before} after={code.after} /> : null}
      {!isOnBoth && !hasCode ? <Nothing>It has no code.</Nothing> : null}
    </>
  );
}

function EdgeDetails({ difference: { change, before, after } }: { difference: EdgeDifference }) {
  if (before && after)
    return (
      <Fields
        fields={[
          ...(before.label === after.label
            ? []
            : [{ kind: "setting", field: "Label", before: before.label, after: after.label } as const]),
          ...(JSON.stringify(before.segments) === JSON.stringify(after.segments)
            ? []
            : [
                {
                  kind: "setting",
                  field: "Bends",
                  before: before.segments.length,
                  after: after.segments.length,
                } as const,
              ]),
        ]}
      />
    );
  return <Nothing>{change === "added" ? "This connection is new." : "This connection is gone."}</Nothing>;
}

function GroupDetails({ difference, nameOf }: { difference: GroupDifference; nameOf: (lineage: string) => string }) {
  const { before, after } = difference;
  const row = (field: string, one: unknown, other: unknown): FieldDifference[] =>
    JSON.stringify(one) === JSON.stringify(other) ? [] : [{ kind: "setting", field, before: one, after: other }];
  const names = (members: readonly string[] | undefined) => members?.map(nameOf).toSorted().join(", ");
  return (
    <Fields
      fields={[
        ...row("Name", before?.name, after?.name),
        ...row("Nodes", names(before?.members), names(after?.members)),
        ...row("Colour", before?.colour, after?.colour),
        ...row("Collapsed", before?.collapsed, after?.collapsed),
      ]}
    />
  );
}

function Nothing({ children }: { children: ReactNode }) {
  return <p className="px-4 py-3 text-ink-muted">{children}</p>;
}

function Fields({ fields }: { fields: readonly FieldDifference[] }) {
  return (
    <dl className="shrink-0 divide-y divide-line border-b border-line">
      {fields.map((field) => (
        <div
          key={`${field.kind} ${field.field}`}
          data-testid="field-difference"
          className="grid grid-cols-[minmax(6rem,12rem)_1fr] gap-x-4 gap-y-1 px-4 py-2 max-sm:grid-cols-1"
        >
          <dt className="text-sm text-ink-muted wrap-anywhere">{fieldWords(field)}</dt>
          <dd className="min-w-0">
            <BeforeAfter before={fieldText(field, field.before)} after={fieldText(field, field.after)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A value that nobody set is the one in the code. */
function fieldText({ kind }: FieldDifference, value: unknown): string {
  return kind === "value" && value === undefined ? "as in the code" : valueText(value);
}

function BeforeAfter({ before, after }: { before: string; after: string }) {
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1 font-mono text-sm">
      <del className="rounded-sm bg-danger-soft px-1.5 text-danger-text no-underline wrap-anywhere whitespace-pre-wrap">
        <LongText text={before} />
      </del>
      <span aria-hidden="true" className="text-ink-faint">
        →
      </span>
      <ins className="rounded-sm bg-success-soft px-1.5 text-success-text no-underline wrap-anywhere whitespace-pre-wrap">
        <LongText text={after} />
      </ins>
    </span>
  );
}

/** A value as people read it. Text is shown without quotes; an empty one would be invisible. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "not set";
  if (value === "") return "empty";
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const unfit = readUnfitText(value);
  if (unfit !== undefined) return `${unfit} (cannot be read)`;
  return JSON.stringify(value, null, 1).replaceAll(/\s+/g, " ");
}

function Code({ before, after }: { before: string; after: string }) {
  const isNarrow = useMedia("(max-width: 1023px)");
  // Of a node that is only on one side, the other half would be empty.
  const isOneSided = before === "" || after === "";
  return (
    <div className="min-h-40 flex-1 overflow-hidden">
      <Suspense fallback={<LoadingArea label="Opening the code" />}>
        <DiffView
          before={before}
          after={after}
          mode={isNarrow || isOneSided ? "unified" : "split"}
          label="How the code differs"
        />
      </Suspense>
    </div>
  );
}
