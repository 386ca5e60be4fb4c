import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";

import { workflowFiles as limits } from "@miranda/contract/limits.ts";

import { messageOf } from "../../../message-of.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { FileDrop } from "../../../ui/form/file-drop.tsx";
import { Page } from "../../../ui/layout/page.tsx";
import { type ChosenZip, findDropped, forgetDropped, readZip } from "./chosen-zip.ts";

export interface ZipChoice {
  zip: ChosenZip | undefined;
  /** The file that was chosen before the page was loaded again. */
  lost: string | undefined;
  /** Why the chosen file cannot be read. */
  problem: string | undefined;
  choose: (file: File | null) => Promise<void>;
}

/** The zip that is merged. It lives as long as the screen; the address keeps its name. */
export function useChosenZip(graphId: string): ZipChoice {
  const [params, setParams] = useSearchParams();
  const [zip, setZip] = useState(() => findDropped(graphId));
  const [problem, setProblem] = useState<string>();
  useEffect(() => forgetDropped, []);
  return {
    zip,
    lost: zip ? undefined : params.get("files") || undefined,
    problem,
    async choose(file) {
      try {
        const read = file ? await readZip(file) : undefined;
        setProblem(undefined);
        setZip(read);
        setParams({ files: read?.file.name ?? "" }, { replace: true });
      } catch (cause) {
        setZip(undefined);
        setProblem(messageOf(cause));
      }
    },
  };
}

interface ImportFolderProps {
  choice: ZipChoice;
  workflow: string;
  /** Why the server refuses the file. */
  refusal?: string | undefined;
  busy?: boolean;
  onRetry?: () => void;
}

/** Chooses the folder of files whose changes are brought here. */
export function ImportFolder({ choice, workflow, refusal, busy = false, onRetry }: ImportFolderProps) {
  const { zip, lost, problem, choose } = choice;
  const message = problem ?? refusal;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <Page
        title={`Import a folder into ${workflow}`}
        description="Choose a workflow's folder as a zip. You see what would change before anything does."
      >
        <div className="flex max-w-2xl flex-col gap-4">
          {lost !== undefined && message === undefined ? (
            <p role="note" className="rounded-md bg-warning-soft px-3 py-2 text-sm wrap-anywhere text-warning-text">
              Choose {lost} again. A page that is loaded again no longer has the file.
            </p>
          ) : null}
          <FileDrop
            label="Folder (.zip)"
            prompt="Drag and drop or click to upload"
            hint={`A workflow as files, up to ${limits.zipMax / 2 ** 20} MB`}
            accept=".zip"
            file={zip?.file ?? null}
            onFile={(file) => void choose(file)}
            disabled={busy}
          />
          <FormAlert message={message} takesFocus />
          {zip && onRetry ? (
            <Button className="self-start" busy={busy} onClick={onRetry}>
              Try again
            </Button>
          ) : null}
        </div>
      </Page>
    </div>
  );
}
