import { ImagePlus, Trash2 } from "lucide-react";
import { type ChangeEvent, useEffect, useId, useMemo, useState } from "react";

import { deployment as limits } from "@miranda/contract/limits.ts";

import { buttonClasses } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

interface PictureFieldProps {
  /** The address of the picture that is stored; null without one. */
  stored: string | null;
  /** A picture that was chosen and is not stored yet. */
  chosen: File | null;
  onChoose: (file: File) => void;
  onRemove: () => void;
}

const types = "image/png,image/jpeg,image/webp,image/gif";

/** The picture of an app: 16:9, as its card shows it. */
export function PictureField({ stored, chosen, onChoose, onRemove }: PictureFieldProps) {
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const preview = useAddressOf(chosen);
  const shown = preview ?? stored;

  function pick(event: ChangeEvent<HTMLInputElement>): void {
    const [file] = event.target.files ?? [];
    event.target.value = "";
    if (!file) return;
    const isTooLarge = file.size > limits.pictureMax;
    setProblem(isTooLarge ? `A picture can have at most ${limits.pictureMax / 1024 ** 2} MB.` : null);
    if (!isTooLarge) onChoose(file);
  }

  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">Picture</span>
      <div className="flex items-center gap-3">
        {shown === null ? null : (
          <img src={shown} alt="" className="aspect-video w-32 rounded-md border border-line bg-sunken object-cover" />
        )}
        <label
          htmlFor={id}
          className={buttonClasses({}, "cursor-pointer outline-offset-2 outline-(--ring) has-focus-visible:outline-2")}
        >
          <input id={id} type="file" accept={types} aria-label="Picture" onChange={pick} className="sr-only" />
          <ImagePlus className="size-4" aria-hidden="true" />
          {shown === null ? "Choose a picture" : "Change"}
        </label>
        {shown === null ? null : <IconButton icon={Trash2} label="Remove the picture" onClick={onRemove} />}
      </div>
      {problem === null ? null : (
        <p role="alert" className="text-xs text-danger-text">
          {problem}
        </p>
      )}
    </div>
  );
}

function useAddressOf(file: File | null): string | null {
  const address = useMemo(() => (file ? URL.createObjectURL(file) : null), [file]);
  useEffect(
    () => () => {
      if (address !== null) URL.revokeObjectURL(address);
    },
    [address],
  );
  return address;
}
