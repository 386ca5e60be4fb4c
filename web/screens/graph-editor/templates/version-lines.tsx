import type { TemplateVersion } from "@miranda/contract/schemas/library/templates.ts";

import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Badge } from "../../../ui/badge.tsx";

/** The versions of a template, each with what was said about it. */
export function VersionLines({ versions }: { versions: readonly TemplateVersion[] }) {
  return (
    <ol aria-label="Versions" className="flex flex-col gap-2">
      {versions.map(({ version, changes, by, time_published }) => (
        <li key={version} className="flex items-baseline gap-2.5 text-sm">
          <Badge>{version}</Badge>
          <div className="min-w-0">
            <p dir="auto" className={changes ? "wrap-anywhere" : "text-ink-faint"}>
              {changes || (version === 1 ? "First version" : "Nothing was said about this version")}
            </p>
            <p className="text-xs text-ink-muted">
              {by ?? "Somebody who left"}, <RelativeTime time={time_published} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
