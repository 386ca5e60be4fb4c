import { CircleCheck } from "lucide-react";
import { useEffect, useRef } from "react";
import { Link } from "react-router";

import type { ImportReport } from "@miranda/contract/schemas/graphs.ts";

import { graphAddress } from "../../api/graphs.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { Card } from "../../ui/layout/card.tsx";

export interface Imported {
  id: string;
  name: string;
  report: ImportReport;
}

/** Lists everything in the file that could not be kept as it was. Nothing is dropped silently. */
export function ImportResult({ projectId, imported }: { projectId: string; imported: Imported }) {
  const { id, name, report } = imported;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  return (
    <div data-testid="import-result" className="mx-auto w-full max-w-2xl px-4 py-8 sm:px-6 sm:py-14">
      <CircleCheck className="size-8 text-success-text" strokeWidth={1.5} aria-hidden="true" />
      <h1 ref={heading} tabIndex={-1} dir="auto" className="mt-3 text-2xl font-semibold">
        {name} is imported
      </h1>
      <p className="mt-1 text-ink-muted">Not everything in the file could be kept as it was.</p>
      <dl className="mt-6 grid grid-cols-3 gap-3">
        <Count name="Nodes" count={report.nodes} />
        <Count name="Edges" count={report.edges} />
        <Count name="Groups" count={report.groups} />
      </dl>
      <h2 className="mt-8 mb-3 text-lg font-semibold">What changed</h2>
      <Card>
        <ul
          aria-label="What changed"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
          tabIndex={0}
          className="max-h-96 divide-y divide-line overflow-y-auto"
        >
          {report.notes.map((note) => (
            <li key={note} dir="auto" className="px-4 py-2.5 text-ink-muted wrap-anywhere">
              {note}
            </li>
          ))}
        </ul>
      </Card>
      <div className="mt-6 flex justify-end gap-2">
        <Link to={`/designer/projects/${projectId}`} className={buttonClasses()}>
          Back to the project
        </Link>
        <Link to={graphAddress(projectId, id)} className={buttonClasses({ variant: "primary" })}>
          Open workflow
        </Link>
      </div>
    </div>
  );
}

function Count({ name, count }: { name: string; count: number }) {
  return (
    <Card className="flex flex-col-reverse px-4 py-3">
      <dt className="text-sm text-ink-muted">{name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{count.toLocaleString("en")}</dd>
    </Card>
  );
}
