import { Code, ExternalLink, Rocket } from "lucide-react";
import { Suspense } from "react";
import { Link, useSearchParams } from "react-router";

import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { appAddress } from "../../api/apps/apps.ts";
import { deploymentAddress } from "../../api/deployments/deployments.ts";
import { graphAddress } from "../../api/graphs.ts";
import { lazyPart } from "../../load-part.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { useDeploymentRoom } from "./use-deployment-room.ts";

const CodeTab = lazyPart(() => import("./code-tab.tsx").then((m) => ({ default: m.CodeTab })));
const CallsTab = lazyPart(() => import("./calls-tab.tsx").then((m) => ({ default: m.CallsTab })));
const SchedulesPanel = lazyPart(() =>
  import("./schedules/schedules-panel.tsx").then((m) => ({ default: m.SchedulesPanel })),
);
const ProcessorsTab = lazyPart(() => import("./processors-tab.tsx").then((m) => ({ default: m.ProcessorsTab })));
const SettingsTab = lazyPart(() => import("./settings/settings-tab.tsx").then((m) => ({ default: m.SettingsTab })));

const tabs = [
  { tab: "overview", label: "Overview" },
  { tab: "code", label: "Code" },
  { tab: "calls", label: "Calls" },
  { tab: "schedules", label: "Schedules" },
  { tab: "processors", label: "Processors" },
  { tab: "settings", label: "Settings" },
] as const;
type Tab = (typeof tabs)[number]["tab"];

interface DeploymentPageProps {
  projectId: string;
  deployment: Deployment;
  /** Opens the dialog for the next release. */
  onRelease: () => void;
}

export function DeploymentPage({ projectId, deployment, onRelease }: DeploymentPageProps) {
  const [params] = useSearchParams();
  const asked = params.get("tab");
  const tab: Tab = tabs.find((one) => one.tab === asked)?.tab ?? "overview";
  useDeploymentRoom(deployment);
  const graphId = deployment.graph.id;
  return (
    <div className="flex h-(--below-bar) flex-col" data-testid="deployment">
      <header className="shrink-0 border-b border-line bg-surface px-4 pt-3 sm:px-6">
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-64">
            <h1 className="flex min-w-0 items-center gap-2.5 text-lg font-semibold">
              <span dir="auto" className="min-w-0 truncate" title={deployment.title}>
                {deployment.title}
              </span>
              <StateBadge deployment={deployment} />
            </h1>
            <p className="truncate text-sm text-ink-muted">
              {deployment.paused_reason ?? `Serves release ${deployment.production?.number} as “${deployment.name}”.`}
            </p>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Link to={graphAddress(projectId, graphId)} className={buttonClasses({ size: "sm", variant: "ghost" })}>
              <Code className="size-3.5" aria-hidden="true" />
              <span className="max-sm:sr-only">Open the workflow</span>
            </Link>
            <Link to={appAddress(deployment.name)} className={buttonClasses({ size: "sm" })}>
              <ExternalLink className="size-3.5" aria-hidden="true" />
              Open in Explorer
            </Link>
            {deployment.right === "read" ? null : (
              <Button size="sm" variant="primary" onClick={onRelease}>
                <Rocket className="size-3.5" aria-hidden="true" />
                New release
              </Button>
            )}
          </div>
        </div>
        <nav aria-label="Parts of the deployment" className="-mb-px flex gap-5 overflow-x-auto pt-2">
          {tabs.map((one) => (
            <Link
              key={one.tab}
              to={deploymentAddress(projectId, graphId, one.tab)}
              replace
              ref={one.tab === tab ? showTab : undefined}
              aria-current={one.tab === tab ? "page" : undefined}
              className={classes(
                "-mx-1 flex h-10 shrink-0 items-center border-b-2 px-1 font-medium -outline-offset-2 transition-colors",
                one.tab === tab ? "border-accent text-ink" : "border-transparent text-ink-muted hover:text-ink",
              )}
            >
              {one.label}
            </Link>
          ))}
        </nav>
      </header>
      <Suspense fallback={<LoadingArea label="Loading" />}>
        {tab === "overview" ? <OverviewTab projectId={projectId} deployment={deployment} /> : null}
        {tab === "code" ? <CodeTab projectId={projectId} deployment={deployment} /> : null}
        {tab === "calls" ? <CallsTab projectId={projectId} deployment={deployment} /> : null}
        {tab === "schedules" ? (
          <div className="min-h-0 flex-1 overflow-y-auto">
            <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-6">
              <SchedulesPanel graphId={graphId} right={deployment.right} />
            </div>
          </div>
        ) : null}
        {tab === "processors" ? <ProcessorsTab deployment={deployment} /> : null}
        {tab === "settings" ? <SettingsTab projectId={projectId} deployment={deployment} /> : null}
      </Suspense>
    </div>
  );
}

/** On a phone, the tab that is open may be beyond the edge. */
function showTab(link: HTMLAnchorElement | null): void {
  link?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function StateBadge({ deployment: { paused_reason, calls } }: { deployment: Deployment }) {
  if (paused_reason !== null) return <Badge tone="warning">Not serving</Badge>;
  return calls.running > 0 ? <Badge tone="info">{calls.running} running</Badge> : <Badge tone="success">Serving</Badge>;
}
