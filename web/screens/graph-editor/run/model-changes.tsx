import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOutletContext, useParams } from "react-router";

import type { ComparedItem } from "@miranda/contract/schemas/models/compare.ts";

import { comparisonQuery } from "../../../api/models/compare.ts";
import { itemOf } from "../../../api/models/compared-versions.ts";
import { WorkflowProviders } from "../../../providers/workflow-providers.tsx";
import { PlainSelect } from "../../../ui/form/plain-select.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { VersionChanges } from "./version-changes.tsx";

const plain = "grid flex-1 place-items-center p-8 text-center text-ink-muted";

/** What differs in the code, values and edges of the workflows that made two versions of a model. */
export function ModelChanges() {
  const { modelId = "" } = useParams();
  const versions = useOutletContext<readonly number[]>();
  const items = versions.map((number) => itemOf(modelId, number));
  const { data, error } = useQuery(comparisonQuery(items, { at: "last" }));
  const [chosen, setChosen] = useState<{ before?: string; after?: string }>({});
  if (error && !data)
    return (
      <p role="alert" className={plain}>
        {error.message}
      </p>
    );
  if (!data) return <LoadingArea label="Comparing" />;
  const find = (key: string | undefined) => data.items.find((item) => item.key === key);
  const before = find(chosen.before) ?? data.items[0];
  const after = find(chosen.after) ?? data.items.at(-1);
  return (
    // As tall as the window, so that the canvas and the list scroll by themselves.
    <div className="flex h-[max(30rem,calc(var(--below-bar)-15rem))] min-w-0 flex-col">
      {data.items.length > 2 ? (
        <div className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2 text-sm sm:px-6">
          <Side
            label="Before"
            items={data.items}
            chosen={before}
            onChoose={(key) => setChosen({ ...chosen, before: key })}
          />
          <span aria-hidden="true">→</span>
          <Side
            label="After"
            items={data.items}
            chosen={after}
            onChoose={(key) => setChosen({ ...chosen, after: key })}
          />
        </div>
      ) : null}
      {before && after ? <Changes key={`${before.key} ${after.key}`} before={before} after={after} /> : null}
    </div>
  );
}

interface SideProps {
  label: string;
  items: readonly ComparedItem[];
  chosen: ComparedItem | undefined;
  onChoose: (key: string) => void;
}

function Side({ label, items, chosen, onChoose }: SideProps) {
  return (
    <PlainSelect label={label} value={chosen?.key ?? ""} onChange={onChoose}>
      {items.map(({ key, label: name }) => (
        <option key={key} value={key}>
          {oneLine(name)}
        </option>
      ))}
    </PlainSelect>
  );
}

function Changes({ before, after }: { before: ComparedItem; after: ComparedItem }) {
  const [one, other] = [before.workflow, after.workflow];
  if (!one?.version_id || !other?.version_id)
    return (
      <p className={plain} data-testid="no-workflow">
        {(one?.version_id ? after : before).label} was not made by a run of a workflow, or that version of the workflow
        is removed.
      </p>
    );
  if (one.version_id === other.version_id)
    return (
      <p className={plain} data-testid="same-version">
        The same version of the workflow made both: the same code, values and edges.
      </p>
    );
  const sides = {
    before: one.version_id,
    after: other.version_id,
    ...(one.id !== other.id && { with: other.id }),
  };
  return (
    <WorkflowProviders projectId={one.project_id} graphId={one.id}>
      <VersionChanges graphId={one.id} sides={sides} />
    </WorkflowProviders>
  );
}
