import { Lock, SearchX } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useParams } from "react-router";

import { errors } from "@miranda/contract/errors.ts";

import { HttpError } from "../../api/http.ts";
import { useProject } from "../../api/projects.ts";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { Tabs } from "../../ui/layout/tabs.tsx";
import { CloneTab, nothingSearched } from "./clone-tab.tsx";
import { CreateTab } from "./create-tab.tsx";
import type { Imported } from "../../panels/import-notes.tsx";
import { ImportResult } from "./import-result.tsx";
import { type ImportDraft, ImportTab } from "./import-tab.tsx";
import { emptyDraft } from "./workflow-draft.tsx";

export function AddWorkflowScreen() {
  const { projectId } = useParams();
  useTopBar({ back: projectId ? `/designer/projects/${projectId}` : "/designer/" });
  if (!projectId) return <p className="m-auto p-8 text-ink-muted">No project ID provided.</p>;
  return <AddWorkflow key={projectId} projectId={projectId} />;
}

function AddWorkflow({ projectId }: { projectId: string }) {
  const { data, error } = useProject(projectId);
  const [imported, setImported] = useState<Imported | null>(null);
  // Kept here, because a hidden tab unmounts and loses its state.
  const [created, setCreated] = useState(emptyDraft);
  const [cloned, setCloned] = useState(nothingSearched);
  const [upload, setUpload] = useState<ImportDraft>({ ...emptyDraft, file: null });

  if (error instanceof HttpError && error.status < 500) return <Refused projectId={undefined} title={error.message} />;
  if (data?.project.access === "viewer") return <Refused projectId={projectId} title={errors.project_read_only} />;
  if (imported) return <ImportResult projectId={projectId} imported={imported} />;

  const tabs = [
    {
      value: "create",
      label: "Create New",
      content: <CreateTab projectId={projectId} draft={created} onDraft={setCreated} />,
    },
    {
      value: "clone",
      label: "Clone from Existing Project",
      content: <CloneTab projectId={projectId} search={cloned} onSearch={setCloned} />,
    },
    {
      value: "import",
      label: "Import from File",
      content: <ImportTab projectId={projectId} draft={upload} onDraft={setUpload} onNotes={setImported} />,
    },
  ];
  return (
    <Frame>
      <h1 className="text-2xl font-semibold">Add Workflow</h1>
      <p dir="auto" className="mt-1 mb-6 min-h-5.5 truncate text-ink-muted">
        {data?.project.name}
      </p>
      <Tabs label="Add Workflow" tabs={tabs} />
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  return <div className="mx-auto w-full max-w-2xl px-4 py-8 sm:px-6 sm:py-10">{children}</div>;
}

function Refused({ projectId, title }: { projectId: string | undefined; title: string }) {
  return (
    <Frame>
      <EmptyState
        icon={projectId ? Lock : SearchX}
        title={title}
        action={
          <Link to={projectId ? `/designer/projects/${projectId}` : "/designer/"} className={buttonClasses()}>
            {projectId ? "Back to the project" : "Go to your projects"}
          </Link>
        }
      />
    </Frame>
  );
}
