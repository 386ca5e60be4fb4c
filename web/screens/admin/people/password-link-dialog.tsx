import type { PasswordLink } from "@miranda/contract/schemas/account/people.ts";

import { errorScreen } from "../../../limits.ts";
import { logWarning } from "../../../log.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";

interface PasswordLinkDialogProps {
  /** Whose password it sets. */
  name: string;
  link: PasswordLink;
  onClose: () => void;
}

/** A link to set a password. It is shown only here. */
export function PasswordLinkDialog({ name, link, onClose }: PasswordLinkDialogProps) {
  const address = location.origin + link.address;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Link to set a password"
      description={`Give this link to ${name}, and to nobody else. It works once, until ${new Date(link.time_expires).toLocaleString()}. It is not shown again.`}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
        <code data-testid="password-link" className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">
          {address}
        </code>
        <CopyButton
          text={address}
          size="sm"
          confirmFor={errorScreen.copiedFor}
          onFailure={(cause) => {
            logWarning("The link could not be copied.", cause);
            toast.error("The browser did not copy the link. Select it and copy it yourself.");
          }}
        />
      </div>
    </Dialog>
  );
}
