import { FileText } from "lucide-react";
import { lazy, Suspense } from "react";

import type { CallOutput } from "@miranda/contract/schemas/deployments/calls.ts";

import { fileSize } from "../../format/file-size.ts";
import { jsonViewer } from "../../limits.ts";
import { loadPart } from "../../load-part.ts";
import { classes } from "../../ui/classes.ts";
import { Card } from "../../ui/layout/card.tsx";
import { Skeleton } from "../../ui/layout/skeleton.tsx";
import { Markdown } from "../../ui/markdown/markdown.tsx";
import { formatNumber } from "../../ui/output/number-format.ts";
import { LongText } from "../../ui/text/long-text.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { WhenSeen } from "../outputs/when-seen.tsx";
import { FileLink } from "./file-link.tsx";
import type { OutputFiles } from "./output-files.ts";
import { type ShownOutput, shownOutput } from "./shown-output.ts";
import { ZoomedPicture } from "./zoomed-picture.tsx";

const OutputView = lazy(() =>
  loadPart(() => import("../../ui/output/output-view.tsx")).then((module) => ({ default: module.OutputView })),
);

interface CallOutputsProps {
  outputs: readonly CallOutput[];
  files: OutputFiles;
}

/** What a call shows, as people want to see it: large numbers, tables, pictures, text and files. */
export function CallOutputs({ outputs, files }: CallOutputsProps) {
  return (
    <div className="grid min-w-0 gap-4" data-testid="call-outputs">
      {grouped(outputs).map(({ label, items }) => (
        <Card key={items[0]?.number} className="min-w-0 p-4 sm:p-5">
          <section aria-label={label} className="flex min-w-0 flex-col gap-4">
            <h3 dir="auto" className="text-sm font-medium wrap-anywhere text-ink-muted">
              {label}
            </h3>
            {items.map((output) => (
              <OneOutput key={output.number} output={output} files={files} isOnly={items.length === 1} />
            ))}
          </section>
        </Card>
      ))}
    </div>
  );
}

/** Outputs of one name that follow each other share a card. */
function grouped(outputs: readonly CallOutput[]): { label: string; items: CallOutput[] }[] {
  const groups: { name: string; label: string; items: CallOutput[] }[] = [];
  for (const output of outputs) {
    const last = groups.find(({ name }) => name === output.name);
    if (last) last.items.push(output);
    else groups.push({ name: output.name, label: output.label, items: [output] });
  }
  return groups;
}

function OneOutput({ output, files, isOnly }: { output: CallOutput; files: OutputFiles; isOnly: boolean }) {
  const shown = shownOutput(output.data);
  const label = isOnly ? output.label : `${output.label} ${output.number}`;
  return (
    <div className="flex min-w-0 flex-col gap-3" data-output={output.name}>
      {shown.kind === "file" ? null : (
        <WhenSeen>
          <Shown shown={shown} label={label} />
        </WhenSeen>
      )}
      {output.file ? (
        <div className="flex min-w-0 flex-wrap items-center justify-between gap-3">
          <span className="flex min-w-0 items-center gap-2.5">
            <FileText className="size-5 shrink-0 text-accent-text" strokeWidth={1.75} aria-hidden="true" />
            <span className="min-w-0">
              <span dir="auto" className="block truncate font-medium" title={oneLine(output.file.name)}>
                {oneLine(output.file.name)}
              </span>
              <span className="block text-xs text-ink-faint">{fileSize(output.file.size)}</span>
            </span>
          </span>
          <FileLink files={files} part={`/files/${output.number}`} name={output.file.name} />
        </div>
      ) : null}
    </div>
  );
}

function Shown({ shown, label }: { shown: Exclude<ShownOutput, { kind: "file" }>; label: string }) {
  switch (shown.kind) {
    case "markdown":
      return <Markdown text={shown.text} />;
    case "answer":
      return <p className="text-3xl font-semibold">{shown.text}</p>;
    case "facts":
      return <Facts facts={shown.facts} />;
    case "text":
      return (
        <div
          dir="auto"
          className={classes("text-lg break-words whitespace-pre-wrap", isAligned(shown.text) && "font-mono text-sm")}
        >
          <LongText text={shown.text} />
        </div>
      );
    case "image":
      return <ZoomedPicture address={shown.address} label={label} isDrawing={shown.isDrawing} />;
    case "number":
    case "table":
    case "chart":
    case "html":
    case "json":
      return (
        <Suspense fallback={<Skeleton className="h-24" />}>
          <OutputView output={shown} label={label} limits={jsonViewer} plain />
        </Suspense>
      );
  }
}

/** Columns that spaces hold apart need letters of one width. */
function isAligned(text: string): boolean {
  return /\t|\S {3,}\S|^ {2,}\S/m.test(text);
}

function Facts({ facts }: { facts: Extract<ShownOutput, { kind: "facts" }>["facts"] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-x-6 gap-y-4">
      {facts.map(({ name, value }) => (
        <div key={name} className="min-w-0">
          <dt dir="auto" className="truncate text-xs text-ink-muted" title={oneLine(name)}>
            {oneLine(name)}
          </dt>
          <dd dir="auto" className="text-xl font-semibold wrap-anywhere tabular-nums" title={String(value)}>
            {factText(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function factText(value: string | number | boolean | null): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") return value === "" ? "–" : value;
  return Number.isInteger(value) ? value.toLocaleString("en") : formatNumber(value);
}
