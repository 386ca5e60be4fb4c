import { useEffect, useRef } from "react";
import { useBeforeUnload, useNavigate } from "react-router";
import { toast } from "../../ui/overlay/toast.ts";

import { errors } from "@miranda/contract/errors.ts";
import { messages } from "@miranda/contract/words/messages.ts";
import { graphml, workflowFiles } from "@miranda/contract/limits.ts";

import { graphAddress, useGraphCalls } from "../../api/graphs.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { FileDrop } from "../../ui/form/file-drop.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import type { Imported } from "../../panels/import-notes.tsx";
import { DraftFields, type WorkflowDraft } from "./workflow-draft.tsx";

export interface ImportDraft extends WorkflowDraft {
  file: File | null;
}

interface ImportTabProps {
  projectId: string;
  draft: ImportDraft;
  onDraft: (draft: ImportDraft) => void;
  /** The file is imported, but not everything in it could be kept. */
  onNotes: (imported: Imported) => void;
}

export function ImportTab({ projectId, draft, onDraft, onNotes }: ImportTabProps) {
  const navigate = useNavigate();
  const { importFile, importFiles } = useGraphCalls();
  const isMounted = useIsMounted();
  const { name, description, file } = draft;

  const form = useForm(async () => {
    if (!file) throw new Error(messages.noFile);
    await refuseUnreadable(file);
    const fields = { name, description, project_id: projectId };
    const { id, report } = isZip(file) ? await importFiles(fields, file) : await importFile(fields, file);
    if (!isMounted()) toast.success(`${name.trim()} is imported.`);
    else if (report && report.notes.length > 0) onNotes({ id, name: name.trim(), report });
    else await navigate(graphAddress(projectId, id));
  });
  useBeforeUnload((event) => {
    if (form.busy) event.preventDefault();
  });
  function change(changed: Partial<ImportDraft>) {
    form.clearError();
    onDraft({ ...draft, ...changed });
  }

  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-5">
      <DraftFields draft={draft} onChange={change} frozen={form.busy} />
      <FileDrop
        label="File"
        prompt="Drag and drop or click to upload"
        hint={`A GraphML file of up to ${graphml.bodyMax / 2 ** 20} MB, as yEd, Gephi, Cytoscape, igraph and NetworkX save it, or a workflow as files (.zip)`}
        accept=".graphml,.zip"
        file={file}
        onFile={(file) => change({ file })}
        disabled={form.busy}
      />
      <FormAlert message={form.error} takesFocus />
      <div className="flex items-center justify-end gap-4">
        {form.busy && file ? <Spinner label="Uploading and reading the file" showLabel className="min-w-0" /> : null}
        <Button type="submit" variant="primary" disabled={form.busy || name.trim() === "" || description.trim() === ""}>
          Import Workflow
        </Button>
      </div>
    </form>
  );
}

function isZip(file: File): boolean {
  return file.name.toLowerCase().endsWith(".zip");
}

/** Fails before anything is created or sent. */
async function refuseUnreadable(file: File): Promise<void> {
  if (isZip(file)) {
    if (file.size > workflowFiles.zipMax) throw new Error(errors.workflow_files_too_large);
  } else if (!file.name.toLowerCase().endsWith(".graphml")) throw new Error(messages.notGraphml);
  else if (file.size > graphml.bodyMax) throw new Error(errors.graphml_too_large);
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new Error("The file can no longer be read. Please choose it again.");
  }
}

/** Whether the tab is still mounted: large files take a while, and people leave. */
function useIsMounted(): () => boolean {
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  return () => here.current;
}
