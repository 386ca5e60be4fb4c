import { useQuery } from "@tanstack/react-query";
import { FolderUp, GitFork } from "lucide-react";
import { useNavigate } from "react-router";

import { importAddress } from "../../../api/graphs.ts";
import { originQuery } from "../../../api/versions.ts";
import { Button } from "../../../ui/button.tsx";
import { Page } from "../../../ui/layout/page.tsx";
import { WorkflowSearch } from "../compare/workflow-search.tsx";
import { mergeAddress } from "../history/version-addresses.ts";

/** Chooses the workflow whose changes are brought here. */
export function MergeSource({ projectId, graphId }: { projectId: string; graphId: string }) {
  const navigate = useNavigate();
  const { data: origin } = useQuery(originQuery(graphId));
  const go = (from: string) => void navigate(mergeAddress(projectId, graphId, from));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <Page title="Merge from…" description="Choose a workflow. You see what would change before anything does.">
        <div className="flex max-w-2xl flex-col gap-4">
          {origin?.graph ? (
            <Button className="self-start" onClick={() => origin.graph && go(origin.graph.id)}>
              <GitFork className="size-4" aria-hidden="true" />
              {origin.graph.name}, where this was cloned from
            </Button>
          ) : null}
          <Button className="self-start" onClick={() => void navigate(importAddress(projectId, graphId))}>
            <FolderUp className="size-4" aria-hidden="true" />
            Import a folder…
          </Button>
          <WorkflowSearch exclude={graphId} onChoose={({ id }) => go(id)} />
        </div>
      </Page>
    </div>
  );
}
