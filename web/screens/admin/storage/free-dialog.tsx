import { useState } from "react";

import { adminLists } from "@miranda/contract/admin-limits.ts";
import type { Freeable, FreeableKind, StorageOfProject } from "@miranda/contract/schemas/admin/storage.ts";

import { useFree, useFreeable } from "../../../api/admin/storage.ts";
import { fileSize } from "../../../format/file-size.ts";
import { messageOf } from "../../../message-of.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, SelectField } from "../../../ui/form/field.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";

const ages = [
  { days: 0, label: "Any age" },
  { days: 7, label: "Older than a week" },
  { days: adminLists.freeDays, label: "Older than 30 days" },
  { days: 90, label: "Older than 90 days" },
];

const kinds: readonly {
  kind: FreeableKind;
  label: string;
  text: string;
  part: "artifacts" | "results" | "logs" | "session_files" | "packages";
}[] = [
  {
    kind: "trash",
    label: "Trash",
    text: "Deleted models and versions with their files, whatever their age. Files that another version names stay.",
    part: "artifacts",
  },
  {
    kind: "results",
    label: "Kept results",
    text: "What nodes sent and no session has used since. Their nodes run again when they are needed.",
    part: "results",
  },
  { kind: "logs", label: "Logs", text: "Logs of ended sessions. The sessions and what they cost stay.", part: "logs" },
  {
    kind: "session_files",
    label: "Files of ended sessions",
    text: "What node code wrote into the folders of sessions, which no later session sees. Volumes stay.",
    part: "session_files",
  },
  {
    kind: "packages",
    label: "Packages",
    text: "Installed packages of Python, whatever their age. The next session installs them again. Not while a session of the project runs.",
    part: "packages",
  },
];

interface FreeDialogProps {
  project: StorageOfProject;
  onClose: () => void;
}

/** What of a project can be deleted, kind by kind. */
export function FreeDialog({ project, onClose }: FreeDialogProps) {
  const [days, setDays] = useState<number>(adminLists.freeDays);
  const { data, error, isPlaceholderData } = useFreeable(project.id, days);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      wide
      title={`Free up space of ${project.name}`}
      description="What you delete is gone for good."
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-4">
        <div className="sm:max-w-60">
          <SelectField
            label="Results, logs and files of sessions"
            value={days}
            onChange={({ target }) => setDays(Number(target.value))}
          >
            {ages.map((age) => (
              <option key={age.days} value={age.days}>
                {age.label}
              </option>
            ))}
          </SelectField>
        </div>
        {data ? (
          <ul aria-label="What can be deleted" className="divide-y divide-line rounded-md border border-line">
            {kinds.map((one) => (
              <Kind key={one.kind} {...one} freeable={data} days={days} isOutdated={isPlaceholderData} />
            ))}
          </ul>
        ) : error ? (
          <FormAlert message={error.message} />
        ) : (
          <LoadingArea />
        )}
      </div>
    </Dialog>
  );
}

type KindProps = (typeof kinds)[number] & {
  freeable: Freeable;
  days: number;
  /** The sums are of another age that was chosen before: nothing can be deleted until the new ones are here. */
  isOutdated: boolean;
};

function Kind({ kind, label, text, part, freeable, days, isOutdated }: KindProps) {
  const free = useFree(freeable.storage.id);
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const bytes = freeable[kind];

  async function freeNow(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      const { before, after } = await free(kind, days);
      toast.success(`${label}: ${fileSize(before)} before, ${fileSize(after)} now.`);
      setAsking(false);
    } catch (cause) {
      setFailure(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow basis-64">
        <div className="font-medium">
          {label}: {fileSize(bytes)}{" "}
          <span className="font-normal text-ink-muted">of {fileSize(freeable.storage[part])}</span>
        </div>
        <p className="text-sm text-ink-muted">{text}</p>
        <FormAlert message={failure} />
      </div>
      {isAsking ? (
        <span className="flex gap-2">
          <Button size="sm" onClick={() => setAsking(false)}>
            Keep
          </Button>
          <Button
            size="sm"
            variant="danger"
            busy={isBusy}
            disabled={isOutdated}
            aria-label={`Delete ${fileSize(bytes)} of ${label}`}
            onClick={() => void freeNow()}
          >
            Delete {fileSize(bytes)}
          </Button>
        </span>
      ) : (
        <Button
          size="sm"
          disabled={bytes === 0 || isOutdated}
          aria-label={`Delete ${label}`}
          onClick={() => setAsking(true)}
        >
          Delete
        </Button>
      )}
    </li>
  );
}
