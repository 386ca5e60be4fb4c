import type { ReactNode } from "react";
import { Link } from "react-router";

import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";

import { Money, MoneyShown } from "../../../panels/money.tsx";
import { graphAddress } from "../../../api/graphs.ts";
import { trackedRunAddress } from "../../../api/models/compare.ts";
import { modelAddress } from "../../../api/models/model.ts";
import { runAddress } from "../../../api/runs/runs.ts";
import { CopiedText } from "../../../panels/deploy/copied-text.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { LongText } from "../../../ui/text/long-text.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { metricWords } from "../../../panels/models/metric-words.ts";
import { useOpenModel } from "../open-model.tsx";
import { TagList } from "../../../panels/models/tag-list.tsx";

const link = "text-accent-text hover:underline";

/** Everything that is known about a version, below its row. */
export function VersionDetails({ version }: { version: ModelVersion }) {
  const { model } = useOpenModel();
  const { number, metrics, params } = version;
  return (
    <div
      className="sticky left-0 flex w-full max-w-[calc(100vw-2.25rem)] flex-col gap-4 px-4 py-4 sm:px-6"
      data-testid="version-details"
    >
      {version.description === "" ? null : (
        <p dir="auto" className="max-w-3xl wrap-anywhere whitespace-pre-wrap">
          <LongText text={version.description} />
        </p>
      )}
      <TagList tags={version.tags} />
      <div className="grid gap-x-10 gap-y-5 md:grid-cols-2 xl:grid-cols-3">
        <Values title="Metrics" none="None were logged.">
          {Object.entries(metrics).map(([name, value]) => [name, metricWords(value), String(value)])}
        </Values>
        <Values title="Parameters" none="None were logged.">
          {Object.entries(params).map(([name, value]) => [name, oneLine(value), value])}
        </Values>
        <section className="flex min-w-0 flex-col gap-1">
          <h3 className="font-semibold">Made by</h3>
          <dl className="flex flex-col gap-1">
            <Origin version={version} projectId={model.graph.project_id} />
          </dl>
        </section>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <div className="w-full max-w-md min-w-0">
          <CopiedText label="Address for MLflow" text={version.uri} />
        </div>
        <Link to={modelAddress(model.id, "use", number)} className={buttonClasses({ size: "sm" })}>
          Use it
        </Link>
        <Link to={modelAddress(model.id, "files", number)} className={buttonClasses({ size: "sm" })}>
          Files
        </Link>
        <Link to={modelAddress(model.id, "lineage", number)} className={buttonClasses({ size: "sm" })}>
          Lineage
        </Link>
      </div>
    </div>
  );
}

interface ValuesProps {
  title: string;
  none: string;
  /** Name, words, and the exact value. */
  children: [string, string, string][];
}

function Values({ title, none, children }: ValuesProps) {
  return (
    <section className="flex min-w-0 flex-col gap-1">
      <h3 className="font-semibold">{title}</h3>
      {children.length === 0 ? <p className="text-ink-muted">{none}</p> : null}
      <dl className="flex max-h-72 flex-col overflow-y-auto">
        {children.map(([name, words, exact]) => (
          <div key={name} className="flex min-w-0 justify-between gap-4 border-b border-line/60 py-1 last:border-b-0">
            <dt dir="auto" className="min-w-0 truncate text-ink-muted" title={oneLine(name)}>
              {oneLine(name)}
            </dt>
            <dd dir="auto" className="max-w-[60%] truncate tabular-nums" title={oneLine(exact)}>
              {words}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The run, what was run, and where. */
function Origin({ version, projectId }: { version: ModelVersion; projectId: string }) {
  const { run, workflow, node, tracked_run, hardware, miranda_version } = version;
  return (
    <>
      {run ? (
        <Fact label="Run">
          {run.exists ? (
            <Link to={runAddress(run.id)} className={link}>
              Open the run
            </Link>
          ) : (
            <span className="text-ink-muted">It was deleted.</span>
          )}
          {run.cost === null ? null : (
            <MoneyShown>
              <span className="text-ink-muted">
                {" "}
                · cost <Money amount={run.cost} />
              </span>
            </MoneyShown>
          )}
        </Fact>
      ) : null}
      {tracked_run && !run ? (
        <Fact label="Run">
          <Link to={trackedRunAddress(projectId, tracked_run.experiment, tracked_run.id)} className={link}>
            {oneLine(tracked_run.name) || tracked_run.id}
          </Link>
          <span className="text-ink-muted"> · {oneLine(tracked_run.experiment_name)}</span>
        </Fact>
      ) : null}
      {workflow ? (
        <Fact label="Workflow">
          <Link to={graphAddress(workflow.project_id, workflow.id)} className={link}>
            {oneLine(workflow.name)}
          </Link>
          {workflow.version ? (
            <>
              {" · "}
              <Link
                to={`${graphAddress(workflow.project_id, workflow.id)}/history?version=${workflow.version.number ?? workflow.version.id}`}
                className={link}
              >
                {workflow.version.number === null
                  ? oneLine(workflow.version.name) || "as it was run"
                  : `${oneLine(workflow.version.name)} #${workflow.version.number}`}
              </Link>
            </>
          ) : null}
        </Fact>
      ) : null}
      {node && workflow ? (
        <Fact label="Node">
          <Link to={`${graphAddress(workflow.project_id, workflow.id)}/code/${node.wob_key}`} className={link}>
            {oneLine(node.name)}
          </Link>
        </Fact>
      ) : null}
      {hardware.length === 0 ? null : (
        <Fact label="Hardware">
          <span className="inline-flex flex-wrap gap-1">
            {hardware.map((one) => (
              <Badge key={one}>{one}</Badge>
            ))}
          </span>
        </Fact>
      )}
      {miranda_version === "" ? null : <Fact label="Miranda">{miranda_version}</Fact>}
      {run || tracked_run || workflow ? null : <p className="text-ink-muted">A client, without a run.</p>}
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-2">
      <dt className="w-20 shrink-0 text-ink-muted">{label}</dt>
      <dd dir="auto" className="min-w-0 wrap-anywhere">
        {children}
      </dd>
    </div>
  );
}
