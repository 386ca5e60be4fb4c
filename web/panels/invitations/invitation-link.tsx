import type { NewInvitation } from "@miranda/contract/schemas/people/invitations.ts";

import { errorScreen } from "../../limits.ts";
import { logWarning } from "../../log.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

/** The link of a new invitation. It is shown once. */
export function InvitationLink({ made }: { made: NewInvitation }) {
  const { invitation, path, mailed } = made;
  const link = new URL(path, location.origin).href;
  const who = invitation.email;
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line bg-sunken p-3">
      <output className="text-sm wrap-anywhere">
        {mailed ? `The invitation was sent to ${who}. You can also give them this link:` : words(who)}
      </output>
      <span className="flex items-center gap-2">
        <code data-testid="invitation-link" className="min-w-0 flex-1 truncate font-mono text-sm select-all">
          {link}
        </code>
        <CopyButton
          size="sm"
          text={link}
          confirmFor={errorScreen.copiedFor}
          onFailure={(cause) => logWarning("The link could not be copied.", cause)}
        />
      </span>
      <p className="text-xs text-ink-faint">It works once, for seven days, and is not shown again.</p>
    </div>
  );
}

function words(who: string | null): string {
  return who === null
    ? "Give this link to the person you invite. Whoever has it can use it."
    : `Give this link to ${who}. It works with this address alone.`;
}
