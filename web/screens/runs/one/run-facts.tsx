import { useQuery } from "@tanstack/react-query";
import { Package } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";

import { Money, MoneyShown } from "../../../panels/money.tsx";
import { deploymentAddress } from "../../../api/deployments/deployments.ts";
import { graphAddress } from "../../../api/graphs.ts";
import { runModelsQuery } from "../../../api/models/lineage.ts";
import { runAddress, runsAddress } from "../../../api/runs/runs.ts";
import {
  durationWords,
  isLive,
  nodeCountWords,
  personName,
  sourceWords,
  versionWords,
} from "../../../panels/runs/run-words.ts";
import { useNow } from "../../../panels/runs/use-now.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { classes } from "../../../ui/classes.ts";
import { counted } from "../../../ui/counted.ts";
import { MadeModels } from "../../../panels/models/made-models.tsx";
import { PackagesDialog } from "../../../panels/runs/packages-dialog.tsx";

const link = "text-accent-text hover:underline";

/** Who, when, how long, for how much, and what exactly was run. */
export function RunFacts({ run }: { run: RunDetails }) {
  const now = useNow(isLive(run));
  const [showsPackages, setShowsPackages] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const packages = Object.keys(run.packages).length;
  const source = sourceWords(run);
  const { data: models } = useQuery(runModelsQuery(run.id, isLive(run)));
  return (
    <>
      <dl className="mt-1 flex flex-wrap gap-x-5 gap-y-0.5 text-sm">
        <Fact label="By">
          {personName(run.by)}
          {source === "" ? null : <span className="text-ink-muted"> ({source.toLowerCase()})</span>}
        </Fact>
        {source === "" ? null : (
          <Fact label="Deployment" isHidden={!isOpen}>
            <Link to={deploymentAddress(run.graph.project_id, run.graph.id, "calls")} className={link}>
              All its calls
            </Link>
          </Fact>
        )}
        <Fact label="Began">
          <RelativeTime time={run.time_began} />
        </Fact>
        <Fact label={isLive(run) ? "Runs for" : "Took"}>
          <span className="tabular-nums" data-testid="run-took">
            {durationWords(run, now)}
          </span>
        </Fact>
        <Parts run={run} />
        <MoneyShown>
          <Fact label="Cost">
            <span className="tabular-nums">
              <Money amount={run.cost} />
            </span>
            {run.budget === null ? null : (
              <span className="text-ink-muted tabular-nums">
                {" "}
                of <Money amount={run.budget} digits="all" />
              </span>
            )}
          </Fact>
        </MoneyShown>
        <Fact label="Nodes" isHidden={!isOpen}>
          <span className="tabular-nums">{nodeCountWords(run)}</span>
        </Fact>
        <Fact label="Version" isHidden={!isOpen}>
          <Version run={run} />
        </Fact>
        <Fact label="Session" isHidden={!isOpen}>
          {run.session.exists ? (
            <Link to={`/designer/processors/${run.session.id}`} className={link}>
              {run.session.name}
            </Link>
          ) : (
            <span className="text-ink-muted">{run.session.name}, removed</span>
          )}
        </Fact>
        {run.python === "" && packages === 0 ? null : (
          <Fact label="Python" isHidden={!isOpen}>
            <span className="tabular-nums">{run.python === "" ? null : `${run.python} `}</span>
            {packages === 0 ? null : (
              <button type="button" onClick={() => setShowsPackages(true)} className={link}>
                <Package className="mr-1 inline size-3.5 align-[-2px]" aria-hidden="true" />
                {counted(packages, "package")}
              </button>
            )}
          </Fact>
        )}
        {run.trial ? (
          <Fact label="Tries">
            version {run.trial.version} of the template of {run.trial.name}
          </Fact>
        ) : null}
        {run.repeats === null ? null : (
          <Fact label="From" isHidden={!isOpen}>
            <Link to={runAddress(run.repeats)} className={link}>
              an earlier run
            </Link>
          </Fact>
        )}
        {models && models.length > 0 ? (
          <Fact label="Models" isHidden={!isOpen}>
            <MadeModels models={models} />
          </Fact>
        ) : null}
      </dl>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className={classes(link, "text-sm sm:hidden")}
      >
        {isOpen ? "Less" : "More about this run"}
      </button>
      {showsPackages ? (
        <PackagesDialog
          title="Packages of this run"
          packages={run.packages}
          python={run.python}
          onClose={() => setShowsPackages(false)}
        />
      ) : null}
    </>
  );
}

/** What the time was for, when it was not for running alone. */
function Parts({ run }: { run: RunDetails }) {
  const { waiting, installing, running } = run.times;
  return (
    <>
      {waiting > 0 ? <Fact label="Waited">{durationText(waiting)}</Fact> : null}
      {installing > 0 ? (
        <>
          <Fact label="Installed packages for">
            {durationText(installing)}
            {run.installing_cost > 0 ? (
              <span className="text-ink-muted">
                {" "}
                (<Money amount={run.installing_cost} />)
              </span>
            ) : null}
          </Fact>
          <Fact label="Ran for">{durationText(running)}</Fact>
        </>
      ) : null}
    </>
  );
}

interface FactProps {
  label: string;
  /** A phone has no room for it at first. */
  isHidden?: boolean;
  children: ReactNode;
}

function Fact({ label, isHidden = false, children }: FactProps) {
  return (
    <div className={classes("flex min-w-0 gap-1.5", isHidden ? "max-sm:hidden" : null)}>
      <dt className="shrink-0 text-ink-muted">{label}</dt>
      <dd dir="auto" className="min-w-0 truncate">
        {children}
      </dd>
    </div>
  );
}

/** A link to the history, and to the other runs of the same version. */
function Version({ run: { version, graph, graph_revision } }: { run: RunDetails }) {
  const words = versionWords(version, graph_revision);
  if (!version) return <span className="text-ink-muted">{words}</span>;
  const key = version.number ?? version.id;
  return (
    <>
      <Link to={`${graphAddress(graph.project_id, graph.id)}/history?version=${key}`} className={link}>
        {words}
      </Link>{" "}
      <Link to={runsAddress({ graph: graph.id, version: version.id })} className={link}>
        (its runs)
      </Link>
    </>
  );
}
