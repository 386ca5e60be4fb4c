import { useQuery } from "@tanstack/react-query";
import { Rocket } from "lucide-react";
import { Suspense, useState } from "react";
import { Link, useLocation, useParams } from "react-router";

import { deploymentQuery } from "../../api/deployments/deployments.ts";
import { graphAddress } from "../../api/graphs.ts";
import { isRecord } from "../../is-record.ts";
import { lazyPart } from "../../load-part.ts";
import { OpenWorkflow } from "../../panels/open-workflow.tsx";
import { useGraph } from "../../providers/object-provider.tsx";
import { RealtimeProvider } from "../../providers/realtime-provider.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { DeploymentPage } from "./deployment-page.tsx";

const DeployDialog = lazyPart(() =>
  import("../../panels/deploy/deploy-dialog.tsx").then((m) => ({ default: m.DeployDialog })),
);

/** A deployment: the version that it serves with its code, its processors and logs, its calls, and its settings. */
export function DeploymentScreen() {
  const { projectId = "" } = useParams();
  return (
    <OpenWorkflow title="Deployment" back={`/designer/projects/${projectId}`}>
      {(loaded) => (loaded ? <Deployed /> : <LoadingArea label="Loading the deployment" />)}
    </OpenWorkflow>
  );
}

function Deployed() {
  const { projectId = "", graphId = "" } = useParams();
  const { data: deployment, error, isFetching, refetch } = useQuery(deploymentQuery(graphId));
  const mayWrite = useGraph((view) => !view.viewOnly);
  // Who comes from a model to deploy it has asked for the form already.
  const { state } = useLocation();
  const [isDeploying, setDeploying] = useState(isRecord(state) && state["deploy"] === true);
  return (
    <>
      {deployment ? (
        // A connection of its own: events about its processors are not about the processor of the editor.
        <RealtimeProvider key={deployment.id}>
          <DeploymentPage projectId={projectId} deployment={deployment} onRelease={() => setDeploying(true)} />
        </RealtimeProvider>
      ) : error ? (
        <div className="mx-auto w-full max-w-xl px-4 py-16">
          <LoadFailure
            title="The deployment could not be loaded"
            message={error.message}
            busy={isFetching}
            onRetry={() => void refetch()}
          />
        </div>
      ) : deployment === undefined ? (
        <LoadingArea label="Loading the deployment" />
      ) : (
        <div className="mx-auto w-full max-w-5xl px-4 py-10 sm:px-6">
          <EmptyState
            icon={Rocket}
            title="This workflow is not deployed"
            action={
              mayWrite ? (
                <Button variant="primary" onClick={() => setDeploying(true)}>
                  Deploy…
                </Button>
              ) : (
                <Link to={graphAddress(projectId, graphId)} className={buttonClasses()}>
                  Open the workflow
                </Link>
              )
            }
          >
            {mayWrite
              ? "Make it an app that others can use in the Explorer or by its API, and that can run on a schedule."
              : "Somebody who may change the workflow can deploy it."}
          </EmptyState>
        </div>
      )}
      {isDeploying ? (
        <Suspense fallback={null}>
          <DeployDialog projectId={projectId} graphId={graphId} onClose={() => setDeploying(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
