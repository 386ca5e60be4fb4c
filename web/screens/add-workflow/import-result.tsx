import { CircleCheck } from "lucide-react";
import { useEffect, useRef } from "react";
import { Link } from "react-router";

import { graphAddress } from "../../api/graphs.ts";
import { type Imported, ImportNotes } from "../../panels/import-notes.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { Card } from "../../ui/layout/card.tsx";

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
      <ImportNotes report={report} />
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
