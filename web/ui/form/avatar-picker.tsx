import { type ChangeEvent, type ReactNode, useId, useState } from "react";

import { Avatar } from "../avatar.tsx";
import { buttonClasses } from "../button.tsx";
import { classes } from "../classes.ts";
import { SpinnerIcon } from "../layout/spinner.tsx";

interface AvatarPickerProps {
  name: string;
  /** The current picture. */
  src: string | null;
  /** A chosen picture that is not saved yet, shown instead. */
  picked: File | null;
  onPick: (file: File) => void;
  accept: string;
  hint: string;
  busy?: boolean;
  /** Further buttons. */
  children?: ReactNode;
}

export function AvatarPicker({ name, src, picked, onPick, accept, hint, busy = false, children }: AvatarPickerProps) {
  const id = useId();
  const [preview, setPreview] = useState<{ file: File; url: string } | null>(null);

  function pick(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0];
    if (file) {
      if (preview) URL.revokeObjectURL(preview.url);
      setPreview({ file, url: URL.createObjectURL(file) });
      onPick(file);
    }
    // Otherwise choosing the same file again would not be a change, and nothing would happen.
    event.target.value = "";
  }

  return (
    <div className="flex items-center gap-4">
      <Avatar
        name={name}
        src={preview && preview.file === picked ? preview.url : src}
        size="lg"
        className={busy ? "opacity-60" : ""}
      />
      <div className="min-w-0">
        <div className="flex flex-wrap gap-2">
          <label
            htmlFor={id}
            className={classes(
              buttonClasses({ size: "sm" }),
              "cursor-pointer outline-offset-2 outline-(--ring) has-focus-visible:outline-2",
              busy ? "pointer-events-none opacity-55" : null,
            )}
          >
            {busy ? <SpinnerIcon /> : null}
            Choose picture
            <input id={id} type="file" accept={accept} onChange={pick} disabled={busy} className="sr-only" />
          </label>
          {children}
        </div>
        <p className="mt-1.5 text-xs text-ink-faint">{hint}</p>
      </div>
    </div>
  );
}
