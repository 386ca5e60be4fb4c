import type { ImportReport } from "@miranda/contract/schemas/graphs.ts";

import { Card } from "../ui/layout/card.tsx";

/** A workflow that was made from a file, and what could not be kept. */
export interface Imported {
  id: string;
  name: string;
  report: ImportReport;
}

/** All that could not be kept, in sentences. */
export function ImportNotes({ report }: { report: ImportReport }) {
  return (
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
  );
}
