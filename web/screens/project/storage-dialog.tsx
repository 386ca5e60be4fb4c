import { useId, useState } from "react";

import { bytesText } from "@miranda/contract/call-inputs/files.ts";
import type { ArtifactBucket } from "@miranda/contract/schemas/models/buckets.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { useArtifactBucket, useBucketActions } from "../../api/models/bucket.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { toast } from "../../ui/overlay/toast.ts";

interface StorageDialogProps {
  project: Project;
  onClose: () => void;
}

const names = ["endpoint", "region", "bucket", "prefix", "access_key", "secret_key"] as const;

/** Where the files of a project's runs and models go. For its owner. */
export function StorageDialog({ project, onClose }: StorageDialogProps) {
  const { data, error, isFetchedAfterMount } = useArtifactBucket(project.id);
  const { save, leave } = useBucketActions(project.id);
  const formId = useId();
  const [isLeaving, setLeaving] = useState(false);
  const form = useForm(async (fields) => {
    await save(Object.fromEntries(names.map((name) => [name, fieldText(fields, name).trim()])));
    toast.success("New files go to the bucket.");
    onClose();
  });
  const leaving = useForm(async () => {
    await leave();
    toast.success("New files go to the server's disk.");
    onClose();
  });
  const known = isFetchedAfterMount ? data : undefined;
  if (known?.current && isLeaving)
    return (
      <Dialog
        open
        onOpenChange={() => setLeaving(false)}
        title="Stop using the bucket"
        description={`New files go to the server's disk. Those in ${known.current.bucket} stay there and can still be opened.`}
        footer={
          <form onSubmit={leaving.onSubmit} className="contents">
            <Button onClick={() => setLeaving(false)}>Cancel</Button>
            <Button type="submit" variant="primary" busy={leaving.busy}>
              Stop using it
            </Button>
          </form>
        }
      >
        <FormAlert message={leaving.error} takesFocus />
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Model storage"
      description={`Where new files of the runs and models of ${project.name} go: to the server's disk, or to an S3 bucket of yours.`}
      footer={
        <>
          {known?.current ? (
            <Button className="mr-auto" onClick={() => setLeaving(true)}>
              Stop using it
            </Button>
          ) : null}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy} disabled={!known}>
            {form.busy ? "Testing" : "Test and save"}
          </Button>
        </>
      }
    >
      {known ? (
        <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
          <StoredLine stored={known} />
          <BucketFields current={known.current} />
          <FormAlert message={form.error} takesFocus />
        </form>
      ) : (
        <>
          <FormAlert message={error?.message} />
          {error ? null : <Spinner label="Loading the storage" showLabel />}
        </>
      )}
    </Dialog>
  );
}

function StoredLine({ stored: { current, in_bucket, in_others, on_disk } }: { stored: ArtifactBucket }) {
  const parts = [
    ...(current ? [`${amount(in_bucket)} in this bucket`] : []),
    `${amount(on_disk)} on the server's disk`,
    ...(in_others.files > 0 ? [`${amount(in_others)} in buckets used before`] : []),
  ];
  return <p className="text-sm text-ink-muted">Stored now: {parts.join(", ")}.</p>;
}

const amount = ({ files, bytes }: { files: number; bytes: number }): string =>
  files === 0 ? "nothing" : `${files} ${files === 1 ? "file" : "files"} (${bytesText(bytes)})`;

function BucketFields({ current }: { current: ArtifactBucket["current"] }) {
  const common = { autoComplete: "off", spellCheck: false } as const;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Bucket" name="bucket" defaultValue={current?.bucket ?? ""} {...common} />
        <TextField label="Prefix" name="prefix" defaultValue={current?.prefix ?? ""} optional {...common} />
        <TextField
          label="Region"
          name="region"
          defaultValue={current?.region ?? ""}
          placeholder="us-east-1"
          optional
          {...common}
        />
        <TextField
          label="Endpoint"
          name="endpoint"
          defaultValue={current?.endpoint ?? ""}
          placeholder="Amazon S3"
          optional
          {...common}
        />
        <TextField label="Access key" name="access_key" defaultValue={current?.access_key ?? ""} {...common} />
        <TextField
          label="Secret key"
          name="secret_key"
          type="password"
          autoComplete="new-password"
          spellCheck={false}
          placeholder={current ? "Unchanged" : ""}
        />
      </div>
      <p className="text-xs text-ink-faint">
        A small file is stored and removed to try it. Files that are stored already stay where they are.
      </p>
    </>
  );
}
