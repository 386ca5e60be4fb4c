import { useQuery } from "@tanstack/react-query";
import { ArrowDownToLine, ArrowUpFromLine, CircleAlert, type LucideIcon, SlidersHorizontal } from "lucide-react";

import { problemsOf } from "@miranda/contract/graph/attributes/field-problem.ts";
import { readUnfitText } from "@miranda/contract/graph/attributes/unfit-text.ts";
import type { Attribute, Direction } from "@miranda/contract/schemas/attributes.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { nodeModelsQuery } from "../../api/models/lineage.ts";
import { Badge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { showLine } from "../../ui/code-editor/line-mark.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { MadeModels } from "../../panels/models/made-models.tsx";
import { errorLine } from "../../panels/code/code-text.ts";
import { useIde, useIdeView } from "../../panels/code/ide-context.tsx";

const groups: readonly { title: string; icon: LucideIcon; directions: readonly Direction[] }[] = [
  { title: "Receives", icon: ArrowDownToLine, directions: ["RECEIVER"] },
  { title: "Fields", icon: SlidersHorizontal, directions: ["RECEIVER_FIELD", "TRANSMITTER_FIELD"] },
  { title: "Sends", icon: ArrowUpFromLine, directions: ["TRANSMITTER"] },
];

/** The attributes that the code declares: the saved ones or, while the person types, those of the new text. */
export function AttributesPanel({ node }: { node: Node }) {
  const { ide } = useIde();
  const check = useIdeView((view) => view.checks.get(node.metadata_id));
  const error = check ? check.error : node.api.error;
  const line = check ? check.error_line : errorLine(error);
  const isUnsaved = useIdeView((view) => view.unsaved.get(node.metadata_id) === true);
  const isPreview = check !== undefined && check.error === null;
  const current = node.api.attributes;
  const shown = isPreview ? [...check.attributes, ...current.filter((one) => isPolicy(one))] : current;
  const problems = new Map(problemsOf(node).map(({ field, words }) => [field, words]));
  const known = new Set(current.map(({ name }) => name));
  const gone = isPreview ? current.filter((one) => !shown.some(({ name }) => name === one.name)) : [];

  return (
    <section aria-label="Attributes" className="flex min-h-0 flex-1 flex-col overflow-y-auto" data-testid="attributes">
      {error === null ? null : (
        <button
          type="button"
          data-testid="code-error"
          onClick={() => {
            const view = ide.views.get(node.metadata_id);
            if (view && line !== null) showLine(view, line, true);
            view?.focus();
          }}
          className="m-3 mb-0 flex items-start gap-2 rounded-md border border-danger/25 bg-danger-soft px-3 py-2 text-left text-sm text-danger-text"
        >
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
          <span className="min-w-0">
            {error}
            {current.length > 0 ? (
              <span className="mt-1 block text-ink-muted">The attributes below are the last good ones.</span>
            ) : null}
          </span>
        </button>
      )}
      {groups.map(({ title, icon: Icon, directions }) => {
        const listed = [...shown, ...gone].filter((one) => directions.includes(one.direction));
        if (listed.length === 0) return null;
        return (
          <div key={title} className="px-3 pt-3">
            <h3 className="flex items-center gap-1.5 pb-1 text-xs font-semibold text-ink-faint">
              <Icon className="size-3.5" aria-hidden="true" />
              {title}
            </h3>
            <ul>
              {listed.map((attribute) => (
                <Row
                  key={`${attribute.direction} ${attribute.name}`}
                  attribute={attribute}
                  problem={problems.get(attribute.name)}
                  mark={gone.includes(attribute) ? "gone" : isPreview && !known.has(attribute.name) ? "new" : undefined}
                />
              ))}
            </ul>
          </div>
        );
      })}
      {shown.length === 0 && error === null ? (
        <p className="p-4 text-sm text-ink-muted">
          The code declares no attributes. Give the class a <code className="font-mono text-xs">Receiver</code>, a{" "}
          <code className="font-mono text-xs">Transmitter</code> or a <code className="font-mono text-xs">Field</code>.
        </p>
      ) : null}
      <NodeModels node={node.metadata_id} />
      {isPreview && isUnsaved ? (
        <p className="mt-auto px-3 py-3 text-xs text-ink-faint">Saved with your next commit.</p>
      ) : null}
    </section>
  );
}

/** The models that runs of this node made. */
function NodeModels({ node }: { node: number }) {
  const { data: models } = useQuery(nodeModelsQuery(node));
  if (!models || models.length === 0) return null;
  return (
    <div className="px-3 py-3 text-sm">
      <h3 className="pb-1 text-xs font-semibold text-ink-faint">Models</h3>
      <MadeModels models={models} />
    </div>
  );
}

interface RowProps {
  attribute: Attribute;
  /** Why no run can use its value. */
  problem: string | undefined;
  mark: "new" | "gone" | undefined;
}

function Row({ attribute, problem, mark }: RowProps) {
  const value =
    attribute.direction.endsWith("_FIELD") && !isPolicy(attribute) ? shortValue(attribute.value) : undefined;
  return (
    <li className="flex min-h-7 flex-wrap items-center gap-x-2 py-0.5" data-testid="attribute" data-mark={mark}>
      <span className={classes("min-w-0 truncate font-mono text-sm", mark === "gone" && "text-ink-faint line-through")}>
        {attribute.name}
      </span>
      {mark === undefined ? null : <Badge tone={mark === "new" ? "success" : "warning"}>{mark}</Badge>}
      <span className="ml-auto flex min-w-0 items-center gap-2 text-xs text-ink-faint">
        {value === undefined ? null : (
          <span className="max-w-28 truncate font-mono" title={value}>
            {value}
          </span>
        )}
        <span className="truncate">{attribute.kind || "any"}</span>
      </span>
      {problem === undefined ? null : (
        <span className="basis-full pb-1 text-xs wrap-anywhere text-danger-text">{oneLine(problem)}</span>
      )}
    </li>
  );
}

function isPolicy({ kind }: Attribute): boolean {
  return kind === "compute_policy" || kind === "storage_policy";
}

function shortValue(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return oneLine(readUnfitText(value) ?? (typeof value === "string" ? value : JSON.stringify(value)));
}
