import { Download, Upload, X } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";

import { errors } from "@miranda/contract/errors.ts";
import { nodeFile as limits } from "@miranda/contract/limits.ts";
import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";

import { fileAddress, uploadFile } from "../../../api/nodes.ts";
import { isRecord } from "../../../is-record.ts";
import { messageOf } from "../../../message-of.ts";
import { classes } from "../../../ui/classes.ts";
import { SpinnerIcon } from "../../../ui/layout/spinner.tsx";
import { toast } from "../../../ui/overlay/toast.ts";

interface FileControlProps {
  nodeId: number;
  attribute: Attribute;
  accept: string | undefined;
  disabled: boolean;
  label: string;
  onCommit: (value: FileValue | null) => void;
}

const icon = "grid size-6 shrink-0 place-items-center rounded-sm text-ink-muted hover:bg-hover hover:text-ink";

/** A file from this computer, chosen or dropped. It is uploaded first; then it is a field value like any other. */
export function FileControl({ nodeId, attribute, accept, disabled, label, onCommit }: FileControlProps) {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const value = isRecord(attribute.value) ? attribute.value : {};
  const name = typeof value.name === "string" ? value.name : undefined;
  const size = typeof value.size === "number" ? value.size : 0;

  async function take(file: File | undefined): Promise<void> {
    if (!file || disabled || busy) return;
    setBusy(true);
    try {
      if (file.size > limits.sizeMax) throw new Error(errors.file_too_large);
      onCommit(await uploadFile(nodeId, file));
    } catch (cause) {
      toast.error(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  function onDrop(event: DragEvent): void {
    event.preventDefault();
    event.stopPropagation();
    setIsOver(false);
    void take(event.dataTransfer.files[0]);
  }

  return (
    <span className="nodrag flex min-w-0 items-center gap-0.5">
      <button
        type="button"
        disabled={disabled || busy}
        aria-label={name === undefined ? `${label}: choose a file` : `${label}: ${name}, choose another`}
        title={name === undefined ? undefined : `${name} · ${sizeText(size)}`}
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          if (disabled || !event.dataTransfer.types.includes("Files")) return;
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
        className={classes(
          "flex h-6.5 min-w-0 flex-1 items-center gap-1.5 rounded-sm border border-line bg-sunken px-1.5 text-xs transition-colors enabled:hover:border-line-strong disabled:opacity-60",
          isOver ? "border-accent bg-accent-soft" : null,
          name === undefined ? "border-dashed text-ink-muted" : "text-ink",
        )}
      >
        {busy ? <SpinnerIcon className="size-3.5" /> : <Upload className="size-3.5 shrink-0" aria-hidden="true" />}
        <span className="truncate" dir="auto">
          {name ?? (disabled ? "No file" : "Choose a file")}
        </span>
      </button>
      {name === undefined ? null : (
        <a className={icon} href={fileAddress(nodeId, attribute.name)} download={name} aria-label={`Download ${name}`}>
          <Download className="size-3.5" aria-hidden="true" />
        </a>
      )}
      {name === undefined || disabled ? null : (
        <button type="button" className={icon} aria-label={`Remove ${name}`} onClick={() => onCommit(null)}>
          <X className="size-3.5" aria-hidden="true" />
        </button>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          void take(event.target.files?.[0]);
          // Choosing the same file again must count as a change: its content may be different.
          event.target.value = "";
        }}
      />
    </span>
  );
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
