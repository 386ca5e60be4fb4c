import { useId, useState } from "react";

import { messages } from "@miranda/contract/errors.ts";
import { workflowFiles as limits } from "@miranda/contract/limits.ts";
import type { KnowledgeObject } from "@miranda/contract/schemas/projects.ts";
import type { Conflict, MergePreview } from "@miranda/contract/schemas/versions.ts";

import { isRefusedWith } from "../../api/http.ts";
import { mergeFiles, previewFiles } from "../../api/workflow-files.ts";
import { Button } from "../../ui/button.tsx";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { FileDrop } from "../../ui/form/file-drop.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { LongText } from "../../ui/text/long-text.tsx";
import { changeWords, conflictWords, sideWords } from "./merge-words.ts";

interface ImportFilesDialogProps {
  workflow: KnowledgeObject;
  onClose: () => void;
}

type Side = "mine" | "theirs";

/** Merges a folder of files into a workflow: choose the zip, see what changes, decide conflicts. */
export function ImportFilesDialog({ workflow, onClose }: ImportFilesDialogProps) {
  const formId = useId();
  const [file, setFile] = useState<File | null>(null);
  const [preview, setPreview] = useState<MergePreview | null>(null);
  const [choices, setChoices] = useState<Readonly<Record<string, Side>>>({});

  const form = useForm(async () => {
    if (!file) throw new Error(messages.noFile);
    if (!preview) {
      if (!file.name.toLowerCase().endsWith(".zip")) throw new Error(messages.noZip);
      setPreview(await previewFiles(workflow.id, file));
      return;
    }
    const { mine_revision, theirs_revision } = preview;
    try {
      await mergeFiles(workflow.id, file, { mine_revision, theirs_revision, resolutions: choices });
    } catch (cause) {
      // Somebody changed the workflow meanwhile. What the person sees must be what is merged.
      if (isRefusedWith(cause, "merge_outdated")) forget();
      throw cause;
    }
    toast.success(`${workflow.name} has the changes from the files.`);
    onClose();
  });

  function forget() {
    setPreview(null);
    setChoices({});
  }

  const changes = preview ? changeWords(preview.comparison) : [];
  const isSame = preview !== null && changes.length === 0 && preview.conflicts.length === 0;
  const isUndecided = preview?.conflicts.some(({ id }) => !choices[id]) === true;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      wide
      title={`Import files into ${workflow.name}`}
      description="The files are merged with what the workflow has now. You can undo it in the history."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={form.busy}
            disabled={file === null || isSame || isUndecided}
          >
            {preview ? "Merge" : "Compare"}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <FileDrop
          label="Files (.zip)"
          prompt="Drag and drop or click to upload"
          hint={`A workflow as files, up to ${limits.zipMax / 2 ** 20} MB`}
          accept=".zip"
          file={file}
          onFile={(chosen) => {
            form.clearError();
            forget();
            setFile(chosen);
          }}
          disabled={form.busy}
        />
        {preview ? (
          <output className="block text-ink-muted">
            {isSame ? "The workflow already has everything in these files." : summary(changes, preview)}
          </output>
        ) : null}
        {preview?.conflicts.map((conflict) => (
          <ConflictChoice
            key={conflict.id}
            conflict={conflict}
            onChoose={(side) => {
              form.clearError();
              setChoices({ ...choices, [conflict.id]: side });
            }}
          />
        ))}
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}

function summary(changes: readonly string[], { conflicts, has_base }: MergePreview): string {
  const counted = changes.length > 0 ? `${changes.join(", ")}.` : "";
  if (conflicts.length === 0) return counted;
  const both = `Both sides changed ${conflicts.length === 1 ? "one thing" : `${conflicts.length} things`}. Choose a side.`;
  const without = "The version that the files came from is gone, so every difference is listed. Choose a side.";
  return `${counted} ${has_base ? both : without}`.trim();
}

interface ConflictChoiceProps {
  conflict: Conflict;
  onChoose: (side: Side) => void;
}

function ConflictChoice({ conflict, onChoose }: ConflictChoiceProps) {
  return (
    <ChoiceGroup<Side>
      legend={`${conflict.name}: ${conflictWords(conflict)}`}
      name={conflict.id}
      onChoose={onChoose}
      className="sm:grid-cols-2"
      options={[
        { value: "mine", label: <SideLabel title="This workflow" words={sideWords(conflict, conflict.mine)} /> },
        { value: "theirs", label: <SideLabel title="The files" words={sideWords(conflict, conflict.theirs)} /> },
      ]}
    />
  );
}

function SideLabel({ title, words }: { title: string; words: string }) {
  return (
    <span className="min-w-0">
      <span className="block text-sm text-ink-muted">{title}</span>
      <span className="line-clamp-6 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
        <LongText text={words} />
      </span>
    </span>
  );
}
