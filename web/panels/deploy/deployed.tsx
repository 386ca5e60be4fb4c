import { ExternalLink, PartyPopper, Settings2 } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import { Link } from "react-router";

import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { appAddress } from "../../api/apps/apps.ts";
import { deploymentAddress } from "../../api/deployments/deployments.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { CopiedText } from "./copied-text.tsx";
import { accessWords } from "./access-fields.tsx";

interface DeployedProps {
  deployment: Deployment;
  projectId: string;
  graphId: string;
  onClose: () => void;
}

/** It is an app now: where it is, and what can be done next. */
export function Deployed({ deployment, projectId, graphId, onClose }: DeployedProps) {
  const link = deployment.access === "link" ? deployment.sharing?.link : undefined;
  const address = new URL(link ? `/explorer/links/${link}` : appAddress(deployment.name), location.origin).href;
  return (
    <div className="flex flex-col items-center gap-5 px-6 py-8 text-center" data-testid="deployed">
      <span className="grid size-12 place-items-center rounded-xl bg-success-soft text-success-text">
        <PartyPopper className="size-6" strokeWidth={1.75} aria-hidden="true" />
      </span>
      <div>
        <Primitive.Title className="text-xl font-semibold">It is deployed</Primitive.Title>
        <p className="mt-1 text-ink-muted">
          {accessWords(deployment.access)} can use “{deployment.title}” now.
        </p>
      </div>
      <CopiedText text={address} label={link ? "Public link" : "Address of the app"} />
      <div className="flex flex-wrap justify-center gap-2">
        <Link to={deploymentAddress(projectId, graphId)} onClick={onClose} className={buttonClasses()}>
          <Settings2 className="size-4" aria-hidden="true" />
          Manage it
        </Link>
        <Link to={appAddress(deployment.name)} className={buttonClasses({ variant: "primary" })}>
          <ExternalLink className="size-4" aria-hidden="true" />
          Open the app
        </Link>
      </div>
    </div>
  );
}
