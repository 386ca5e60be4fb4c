import { Download } from "lucide-react";
import { useState } from "react";

import { messageOf } from "../../message-of.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { type OutputFiles, saveFrom } from "./output-files.ts";

interface FileLinkProps {
  files: OutputFiles;
  /** The path below the call. */
  part: string;
  name: string;
  label?: string;
}

/** Downloads a file of a call. */
export function FileLink({ files, part, name, label = "Download" }: FileLinkProps) {
  const [busy, setBusy] = useState(false);
  const address = files.address(part);
  const words = (
    <>
      <Download className="size-4" aria-hidden="true" />
      {label}
      <span className="sr-only">{` ${name}`}</span>
    </>
  );
  if (!files.fetch)
    return (
      <a href={address} download={name} className={buttonClasses({}, "max-sm:h-11")}>
        {words}
      </a>
    );
  return (
    <Button
      busy={busy}
      className="max-sm:h-11"
      onClick={() => {
        setBusy(true);
        saveFrom(files, address, name)
          .catch((cause: unknown) => toast.error(messageOf(cause)))
          .finally(() => setBusy(false));
      }}
    >
      {words}
    </Button>
  );
}
