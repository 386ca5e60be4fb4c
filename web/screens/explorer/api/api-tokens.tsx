import { Link } from "react-router";

import type { App } from "@miranda/contract/schemas/deployments/deployments.ts";

import { buttonClasses } from "../../../ui/button.tsx";
import { Card } from "../../../ui/layout/card.tsx";

/** Where tokens come from. */
export function ApiTokens({ designer }: Pick<App, "designer">) {
  return (
    <Card className="flex min-w-0 flex-wrap items-center justify-between gap-4 p-4 sm:p-5">
      <p className="max-w-2xl min-w-0 text-ink-muted">
        Programs send a token in the header <code className="font-mono text-sm text-ink">Authorization: Bearer</code>. A
        token of your account can do what you can do.
        {designer ? " A token of this app can only use this app: give others such a token." : ""}
      </p>
      <div className="flex flex-wrap gap-3">
        <Link to="/account" className={buttonClasses()}>
          Your tokens
        </Link>
        {designer ? (
          <Link
            to={`/designer/projects/${designer.project_id}/deployments/${designer.graph_id}?tab=settings`}
            className={buttonClasses()}
          >
            Tokens of this app
          </Link>
        ) : null}
      </div>
    </Card>
  );
}
