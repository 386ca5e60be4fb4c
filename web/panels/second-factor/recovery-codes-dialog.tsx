import { Download } from "lucide-react";
import { useState } from "react";

import { errorScreen } from "../../limits.ts";
import { logWarning } from "../../log.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { CheckboxField } from "../../ui/form/checkbox-field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";

/** Shows recovery codes, this one time. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [isSaved, setIsSaved] = useState(false);
  const text = `${codes.join("\n")}\n`;
  return (
    <Dialog
      open
      // Closing by accident would lose the codes.
      onOpenChange={() => (isSaved ? onClose() : undefined)}
      title="Save your recovery codes"
      description="They are not shown again. Each signs you in once when you have lost your phone or passkey."
      footer={
        <Button variant="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <ul
          aria-label="Recovery codes"
          className="grid grid-cols-1 gap-x-6 gap-y-1.5 rounded-md border border-line bg-sunken px-4 py-3 font-mono text-sm min-[26rem]:grid-cols-2"
        >
          {codes.map((code) => (
            <li key={code} className="select-all" data-testid="recovery-code">
              {code}
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <CopyButton
            size="sm"
            text={text}
            confirmFor={errorScreen.copiedFor}
            onFailure={(cause) => logWarning("The recovery codes could not be copied.", cause)}
          />
          <a
            className={buttonClasses({ size: "sm" })}
            download="miranda-recovery-codes.txt"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          >
            <Download className="size-3.5" aria-hidden="true" />
            Download
          </a>
        </div>
        <CheckboxField
          label="I have saved the codes"
          checked={isSaved}
          onChange={({ target }) => setIsSaved(target.checked)}
        />
      </div>
    </Dialog>
  );
}
