import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import { useState } from "react";

import type { Deployment, ReleaseProposal } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { Version } from "@miranda/contract/schemas/versions.ts";

import { deploymentQuery, proposalQuery } from "../../api/deployments/deployments.ts";
import { useWorkflowName } from "../../api/graphs.ts";
import { versionsQuery } from "../../api/versions.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { DialogPanel } from "../../ui/overlay/dialog.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { DeployForm } from "./deploy-form.tsx";
import { Deployed } from "./deployed.tsx";
import { PublishNow } from "./publish-now.tsx";

interface DeployDialogProps {
  projectId: string;
  graphId: string;
  onClose: () => void;
}

/** Deploys the workflow, or makes the next release of its deployment. Open while it is mounted. */
export function DeployDialog(props: DeployDialogProps) {
  const { projectId, graphId, onClose } = props;
  const [made, setMade] = useState<Deployment | null>(null);
  return (
    <Primitive.Root open onOpenChange={props.onClose}>
      <DialogPanel
        className={made ? "max-w-lg" : "h-[80dvh] max-w-6xl"}
        aria-describedby={undefined}
        data-testid="deploy-dialog"
      >
        <Primitive.Close
          aria-label="Close dialog"
          className="absolute top-3.5 right-3.5 z-20 grid size-7 place-items-center rounded-sm text-ink-faint transition-colors hover:bg-hover hover:text-ink"
        >
          <X className="size-4" aria-hidden="true" />
        </Primitive.Close>
        {made ? (
          <Deployed deployment={made} projectId={projectId} graphId={graphId} onClose={onClose} />
        ) : (
          <Loaded {...props} onDeployed={setMade} />
        )}
      </DialogPanel>
    </Primitive.Root>
  );
}

interface LoadedProps extends DeployDialogProps {
  onDeployed: (deployment: Deployment) => void;
}

function Loaded({ projectId, graphId, onClose, onDeployed }: LoadedProps) {
  const deployment = useQuery(deploymentQuery(graphId));
  const list = useInfiniteQuery(versionsQuery(graphId, "named"));
  const workflow = useWorkflowName(projectId, graphId);
  const [fresh, setFresh] = useState<Version | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);

  const listed = list.data?.pages.flatMap(({ versions }) => versions) ?? [];
  const versions = fresh && !listed.some(({ id }) => id === fresh.id) ? [fresh, ...listed] : listed;
  const usual = versions.find(({ time_published }) => time_published !== null) ?? versions[0];
  const version = versions.find(({ number }) => number === (chosen ?? usual?.number)) ?? usual;
  const proposal = useQuery({
    ...proposalQuery(graphId, version?.number ?? 0),
    enabled: version !== undefined && version.number !== null,
    // While another version loads, the form and what was written stay.
    placeholderData: (before: ReleaseProposal | undefined) => before,
  });

  const title = deployment.data ? "New release" : "Deploy";
  const error = deployment.error ?? list.error ?? proposal.error;
  if (error)
    return (
      <div className="p-6">
        <Primitive.Title className="mb-4 text-lg font-semibold">{title}</Primitive.Title>
        <LoadFailure
          title="This could not be loaded"
          message={error.message}
          onRetry={() => {
            for (const query of [deployment, list, proposal]) if (query.isError) void query.refetch();
          }}
        />
      </div>
    );
  if (list.isSuccess && deployment.isSuccess && versions.length === 0)
    return (
      <div className="mx-auto flex w-full max-w-xl flex-col gap-4 overflow-y-auto p-5">
        <div>
          <Primitive.Title className="text-lg font-semibold">Deploy</Primitive.Title>
          <p className="text-ink-muted">Make it an app that others can use, without seeing any code.</p>
        </div>
        <PublishNow graphId={graphId} suggested="First version" action="Publish and continue" onPublished={setFresh} />
      </div>
    );
  if (!version || !proposal.data || deployment.data === undefined || workflow === undefined)
    return (
      <>
        <Primitive.Title className="px-5 pt-5 text-lg font-semibold">{title}</Primitive.Title>
        <LoadingArea label="Loading the fields of the workflow" />
      </>
    );
  return (
    <DeployForm
      graphId={graphId}
      workflow={workflow}
      deployment={deployment.data}
      versions={versions}
      version={version}
      proposal={proposal.data}
      isLoading={proposal.isPlaceholderData}
      onMoreVersions={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
      onVersion={(picked) => setChosen(picked)}
      onPublished={(published) => {
        setFresh(published);
        setChosen(published.number);
      }}
      onDeployed={onDeployed}
      onReleased={(words) => {
        onClose();
        toast.success(words);
      }}
    />
  );
}
