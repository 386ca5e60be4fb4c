import { useState } from "react";

import type { Version } from "@miranda/contract/schemas/versions.ts";

import { useGraph, useSession } from "../../providers/object-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/form/field.tsx";
import { PublishNow } from "./publish-now.tsx";

interface VersionChoiceProps {
  graphId: string;
  versions: readonly Version[];
  version: Version;
  onVersion: (number: number) => void;
  onPublished: (version: Version) => void;
  /** Loads older versions. */
  onMore: (() => void) | undefined;
}

const more = "more";

/** The published version that is served. When the workflow has changed since, it can be published from here. */
export function VersionChoice({ graphId, versions, version, onVersion, onPublished, onMore }: VersionChoiceProps) {
  const { store } = useSession();
  // Any change of the graph draws this again; the revision is its own.
  useGraph((view) => view.resolved);
  const [isPublishing, setPublishing] = useState(false);
  const newest = versions[0];
  const hasChanged = newest !== undefined && store.revision() > newest.revision;
  if (isPublishing)
    return (
      <PublishNow
        graphId={graphId}
        suggested={`Version ${(newest?.number ?? 0) + 1}`}
        action="Publish"
        onCancel={() => setPublishing(false)}
        onPublished={(made) => {
          setPublishing(false);
          onPublished(made);
        }}
      />
    );
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label="Version"
        value={version.number ?? ""}
        onChange={({ target: { value } }) => (value === more ? onMore?.() : onVersion(Number(value)))}
      >
        {versions.map((one) => (
          <option key={one.id} value={one.number ?? ""}>
            {`#${one.number} ${one.name}${one.time_published === null ? " (not published)" : ""}`}
          </option>
        ))}
        {onMore ? <option value={more}>Load older versions…</option> : null}
      </SelectField>
      {hasChanged ? (
        <p className="flex flex-wrap items-center justify-between gap-2 text-sm text-ink-muted">
          The workflow has changed since “{newest.name}”.
          <Button size="sm" onClick={() => setPublishing(true)}>
            Publish it as it is now
          </Button>
        </p>
      ) : null}
    </div>
  );
}
