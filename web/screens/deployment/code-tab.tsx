import { useQuery } from "@tanstack/react-query";
import { Braces, Lock, Workflow } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";

import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { Channel, Deployment, Release } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { graphAddress } from "../../api/graphs.ts";
import { versionGraphQuery } from "../../api/versions.ts";
import { codeNodes } from "../../panels/code/code-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { CodeField } from "../../ui/code-editor/code-field.tsx";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { SearchField } from "../../ui/form/search-field.tsx";
import { includesText } from "../../ui/includes-text.ts";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

interface CodeTabProps {
  projectId: string;
  deployment: Deployment;
}

/** The code that is served, as it was published. Nobody can change it here. */
export function CodeTab({ projectId, deployment }: CodeTabProps) {
  const [channel, setChannel] = useState<Channel>(deployment.production ? "production" : "staging");
  const release = deployment[channel];
  if (!release)
    return (
      <div className="p-6">
        <EmptyState icon={Braces} title="Nothing is served">
          No release is in production or staging.
        </EmptyState>
      </div>
    );
  return (
    <Frozen
      key={release.id}
      projectId={projectId}
      deployment={deployment}
      release={release}
      channelChoice={
        deployment.production && deployment.staging ? (
          <PlainSelect
            label="Channel"
            value={channel}
            onChange={(value) => setChannel(value === "staging" ? "staging" : "production")}
          >
            <option value="production">Production</option>
            <option value="staging">Staging</option>
          </PlainSelect>
        ) : null
      }
    />
  );
}

interface FrozenProps extends CodeTabProps {
  release: Release;
  channelChoice: React.ReactNode;
}

function Frozen({ projectId, deployment, release, channelChoice }: FrozenProps) {
  const graphId = deployment.graph.id;
  const { data: graph, error, isFetching, refetch } = useQuery(versionGraphQuery(graphId, release.version.id, 0));
  const [params, setParams] = useSearchParams();
  const [query, setQuery] = useState("");
  const files = useMemo(() => codeNodes(graph?.nodes ?? {}), [graph]);
  if (error)
    return (
      <div className="p-6">
        <LoadFailure
          title="The code could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!graph) return <LoadingArea label="Loading the code" />;
  const chosen = files.find(({ metadata_id }) => `${metadata_id}` === params.get("node")) ?? files[0];
  const shown = files.filter(({ name }) => includesText(name, query));
  const open = (node: number) => setParams({ tab: "code", node: `${node}` }, { replace: true });
  return (
    <div className="flex min-h-0 flex-1 max-md:flex-col" data-testid="code-ide">
      <aside
        aria-label="Nodes"
        className="flex min-h-0 w-60 shrink-0 flex-col border-r border-line bg-sunken max-md:max-h-56 max-md:w-full max-md:border-r-0 max-md:border-b lg:w-64"
      >
        <div className="flex flex-col gap-2 p-2">
          {channelChoice}
          <SearchField label="Find a node" value={query} onChange={(event) => setQuery(event.target.value)} />
        </div>
        <ul className="min-h-0 flex-1 overflow-y-auto px-1.5 pb-3" aria-label="Nodes of the version">
          {shown.map((node) => (
            <li key={node.metadata_id}>
              <button
                type="button"
                aria-current={node === chosen ? "true" : undefined}
                onClick={() => open(node.metadata_id)}
                className={classes(
                  "flex h-8 w-full items-center gap-2 rounded-md px-2 text-left text-sm",
                  node === chosen ? "bg-accent-soft text-accent-text" : "hover:bg-hover",
                )}
              >
                <Braces className="size-3.5 shrink-0 text-ink-faint" aria-hidden="true" />
                <span dir="auto" className="min-w-0 truncate">
                  {oneLine(node.name)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </aside>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1.5">
          <h2 dir="auto" className="min-w-0 truncate font-semibold">
            {chosen ? oneLine(chosen.name) : "No code"}
          </h2>
          <Badge>
            <Lock className="size-3" aria-hidden="true" />
            Release {release.number}
          </Badge>
          <Link
            to={`${graphAddress(projectId, graphId)}/history?version=${release.version.number ?? release.version.id}`}
            className={buttonClasses({ size: "sm", variant: "ghost" }, "ml-auto")}
          >
            <Workflow className="size-3.5" aria-hidden="true" />
            Show on the canvas
          </Link>
        </header>
        {chosen ? (
          <div className="flex min-h-0 flex-1 max-lg:flex-col max-lg:overflow-y-auto">
            <div className="min-h-0 min-w-0 flex-1 overflow-auto bg-surface max-lg:min-h-80">
              <CodeField key={chosen.metadata_id} value={chosen.source_code} label={`Code of ${chosen.name}`} />
            </div>
            <Values node={chosen} release={release} />
          </div>
        ) : (
          <p className="p-8 text-center text-ink-muted">This version has no code blocks.</p>
        )}
      </div>
    </div>
  );
}

/** The values that a node was published with, and which of them callers give. */
function Values({ node, release }: { node: Node; release: Release }) {
  const fields = node.api.attributes.filter(
    ({ direction, kind }) => direction.endsWith("_FIELD") && kind !== "compute_policy" && kind !== "storage_policy",
  );
  const asked = new Map(
    release.form.fields
      .filter(({ wob_key }) => wob_key === node.metadata_id)
      .map(({ attribute, label }) => [attribute, label]),
  );
  return (
    <aside
      aria-label="Values"
      className="w-72 shrink-0 overflow-y-auto border-l border-line bg-surface p-4 max-lg:w-full max-lg:border-t max-lg:border-l-0"
    >
      <h3 className="mb-2 text-sm font-semibold text-ink-muted">Values</h3>
      {fields.length === 0 ? <p className="text-sm text-ink-muted">This node has no fields.</p> : null}
      <dl className="flex flex-col gap-3">
        {fields.map((field) => (
          <div key={field.name}>
            <dt className="flex items-center gap-2 font-mono text-sm">
              {field.name}
              {asked.has(field.name) ? <Badge tone="accent">Asked for</Badge> : null}
            </dt>
            <dd dir="auto" className="truncate text-sm text-ink-muted" title={valueWords(field)}>
              {asked.has(field.name) ? `Callers enter it as “${asked.get(field.name)}”` : valueWords(field)}
            </dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}

function valueWords({ value, control }: Attribute): string {
  if (control?.type === "secret") return "Hidden";
  if (value === null || value === undefined || value === "") return "Empty";
  return oneLine(typeof value === "string" ? value : JSON.stringify(value));
}
