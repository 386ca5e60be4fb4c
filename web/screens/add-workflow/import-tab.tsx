import { useEffect, useId, useRef } from "react";
import { useBeforeUnload, useNavigate } from "react-router";
import { toast } from "../../ui/overlay/toast.ts";

import { errors } from "@miranda/contract/errors.ts";
import { messages } from "@miranda/contract/words/messages.ts";
import { formText, graphml, notebook, workflowFiles } from "@miranda/contract/limits.ts";

import { graphAddress, useGraphCalls } from "../../api/graphs.ts";
import type { CodeToSplit } from "../../api/notebooks.ts";
import { readNotebook } from "../../panels/files/read-notebook.ts";
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
  const { importFile, importFiles, importCode } = useGraphCalls();
  const hintId = useId();
  const isMounted = useIsMounted();
  const { name, description, file } = draft;

  const form = useForm(async () => {
    if (!file) throw new Error(messages.noFile);
    await refuseUnreadable(file);
    const fields = { name, description, project_id: projectId };
    const {
      id,
      report,
      remarks = [],
    } = await (endsWith(file, "zip")
      ? importFiles(fields, file)
      : endsWith(file, "graphml")
        ? importFile(fields, file)
        : importCode(fields, await readCode(file)));
    if (remarks.length > 0) toast.warning(remarks.slice(0, 5).join("\n"), { duration: remarkTime });
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

  const missing = missingWords(draft);

  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-5">
      <DraftFields draft={draft} onChange={change} frozen={form.busy} />
      <FileDrop
        label="File"
        prompt="Drag and drop or click to upload"
        hint={`A GraphML file of up to ${graphml.bodyMax / 2 ** 20} MB, as yEd, Gephi, Cytoscape, igraph and NetworkX save it, a notebook (.ipynb), a Python script (.py), or a workflow as files (.zip)`}
        accept=".graphml,.zip,.ipynb,.py"
        file={file}
        onFile={(file) => change(withFile(draft, file))}
        disabled={form.busy}
      />
      <FormAlert message={form.error} takesFocus />
      <div className="flex items-center justify-end gap-4">
        {form.busy && file ? <Spinner label="Uploading and reading the file" showLabel className="min-w-0" /> : null}
        {missing ? (
          <p id={hintId} className="min-w-0 text-sm text-ink-muted">
            {missing}
          </p>
        ) : null}
        <Button
          type="submit"
          variant="primary"
          disabled={form.busy || missing !== ""}
          aria-describedby={missing ? hintId : undefined}
        >
          Import Workflow
        </Button>
      </div>
    </form>
  );
}

function endsWith(file: File, ending: string): boolean {
  return file.name.toLowerCase().endsWith(`.${ending}`);
}

/** The name of a file becomes the name of the workflow, unless the person has written one. */
function withFile(draft: ImportDraft, file: File | null): Partial<ImportDraft> {
  const isOurs = draft.name.trim() === "" || (draft.file !== null && draft.name === nameOf(draft.file));
  return file && isOurs ? { file, name: nameOf(file) } : { file };
}

function nameOf(file: File): string {
  const name = file.name.replace(/\.[^.]+$/, "");
  return name.replace(/[_-]+/g, " ").trim().slice(0, formText.nameMax);
}

/** Why the button is disabled. */
function missingWords({ name, description }: WorkflowDraft): string {
  const missing = [name.trim() === "" ? "a name" : "", description.trim() === "" ? "a description" : ""].filter(
    Boolean,
  );
  return missing.length > 0 ? `Give the workflow ${missing.join(" and ")} first.` : "";
}

/** Fails before anything is created or sent. */
async function refuseUnreadable(file: File): Promise<void> {
  const kind = kinds.find(({ ending }) => endsWith(file, ending));
  if (!kind) throw new Error(messages.notGraphml);
  if (file.size > kind.most) throw new Error(kind.tooLarge);
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new Error("The file can no longer be read. Please choose it again.");
  }
}

const tooMuchCode = (bytes: number) =>
  `The file is too large: at most ${Math.floor(bytes / 2 ** 20)} MB can be imported.`;
const kinds = [
  { ending: "zip", most: workflowFiles.zipMax, tooLarge: errors.workflow_files_too_large },
  { ending: "graphml", most: graphml.bodyMax, tooLarge: errors.graphml_too_large },
  { ending: "ipynb", most: notebook.fileMax, tooLarge: tooMuchCode(notebook.fileMax) },
  { ending: "py", most: notebook.charactersMax, tooLarge: tooMuchCode(notebook.charactersMax) },
] as const;

async function readCode(file: File): Promise<CodeToSplit> {
  const text = await file.text();
  return endsWith(file, "ipynb") ? { name: file.name, cells: readNotebook(text) } : { name: file.name, text };
}

/** In milliseconds: long enough to read some sentences on the next page. */
const remarkTime = 20_000;

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
