import { Camera, FileText, Upload, X } from "lucide-react";
import { type ChangeEvent, type DragEvent, useId, useState } from "react";

import { fileSize } from "../../format/file-size.ts";
import { classes } from "../classes.ts";
import { buttonClasses } from "../button.tsx";
import { IconButton } from "../icon-button.tsx";

interface FileDropProps {
  label: string;
  /** The text of the empty area. */
  prompt: string;
  hint?: string;
  accept: string;
  file: Pick<File, "name" | "size"> | null;
  onFile: (file: File | null) => void;
  disabled?: boolean;
  /** Below the area. */
  help?: string | undefined;
  error?: string | undefined;
  optional?: boolean;
  /** Offers the camera on phones and tablets. */
  camera?: boolean;
}

export function FileDrop(props: FileDropProps) {
  const { label, prompt, hint, accept, file, onFile, disabled = false, help, error, optional, camera = false } = props;
  const id = useId();
  const described = [error ? `${id}-error` : "", help ? `${id}-help` : ""].filter(Boolean).join(" ");
  const [over, setOver] = useState(false);

  function pick(event: ChangeEvent<HTMLInputElement>) {
    const picked = event.target.files?.[0];
    if (picked) onFile(picked);
    // Otherwise choosing the same file again would not be a change, and nothing would happen.
    event.target.value = "";
  }

  function drag(event: DragEvent) {
    event.preventDefault();
    setOver(!disabled);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const dropped = event.dataTransfer.files[0];
    if (dropped && !disabled) onFile(dropped);
  }

  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-2">
        <span id={`${id}-label`} dir="auto" className="text-sm font-medium wrap-anywhere">
          {label}
        </span>
        {optional ? <span className="text-xs text-ink-faint">Optional</span> : null}
      </div>
      <div
        role="presentation"
        onDragEnter={drag}
        onDragOver={drag}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className="relative"
      >
        <label
          htmlFor={id}
          data-testid="file-drop"
          className={classes(
            "flex min-h-36 cursor-pointer flex-col items-center justify-center gap-1 rounded-lg border border-dashed px-12 py-6 text-center transition-colors",
            "outline-offset-2 outline-(--ring) has-focus-visible:outline-2",
            over
              ? "border-accent bg-accent-soft"
              : error
                ? "border-danger bg-surface hover:bg-hover"
                : "border-line-strong bg-surface hover:border-ink-faint hover:bg-hover",
            disabled ? "pointer-events-none opacity-60" : null,
          )}
        >
          <input
            id={id}
            type="file"
            accept={accept}
            onChange={pick}
            disabled={disabled}
            aria-labelledby={`${id}-label ${id}-text`}
            aria-describedby={described || undefined}
            aria-invalid={error ? true : undefined}
            className="sr-only"
          />
          {file ? (
            <FileText className="size-5 text-accent-text" strokeWidth={1.75} aria-hidden="true" />
          ) : (
            <Upload className="size-5 text-ink-faint" strokeWidth={1.75} aria-hidden="true" />
          )}
          <span id={`${id}-text`} dir="auto" className="mt-1 max-w-full font-medium wrap-anywhere">
            {file ? file.name : prompt}
          </span>
          <span className="text-xs text-ink-faint">{file ? fileSize(file.size) : hint}</span>
        </label>
        {file && !disabled ? (
          <IconButton icon={X} label="Remove file" onClick={() => onFile(null)} className="absolute top-2 right-2" />
        ) : null}
      </div>
      {camera && !disabled ? (
        <label
          className={buttonClasses(
            {},
            "h-11 outline-offset-2 outline-(--ring) has-focus-visible:outline-2 sm:pointer-fine:hidden",
          )}
        >
          <input type="file" accept="image/*" capture="environment" onChange={pick} className="sr-only" />
          <Camera className="size-4" aria-hidden="true" />
          Take a photo
        </label>
      ) : null}
      {help ? (
        <div id={`${id}-help`} className="text-xs text-ink-faint">
          {help}
        </div>
      ) : null}
      {error ? (
        <div id={`${id}-error`} className="text-xs text-danger-text">
          {error}
        </div>
      ) : null}
    </div>
  );
}
