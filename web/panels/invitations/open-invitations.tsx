import type { Invitation } from "@miranda/contract/schemas/people/invitations.ts";

import { roleNames } from "../../format/person-names.ts";
import { useInvitationCalls, useInvitations } from "../../api/people/invitations.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { dayWords } from "../../format/day-words.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

/** Those that somebody can still use. `projectId` is null for the installation. */
export function OpenInvitations({ projectId }: { projectId: string | null }) {
  const { data = [], error } = useInvitations(projectId);
  const open = data.filter(({ state }) => state === "open");
  if (error) return <FormAlert message={error.message} />;
  if (open.length === 0) return null;
  return (
    <section aria-label="Open invitations" className="flex flex-col">
      <h3 className="text-sm font-medium">Open invitations</h3>
      <ul className="divide-y divide-line">
        {open.map((invitation) => (
          <li key={invitation.id}>
            <Row invitation={invitation} projectId={projectId} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Row({ invitation, projectId }: { invitation: Invitation; projectId: string | null }) {
  const { withdraw } = useInvitationCalls(projectId);
  const form = useForm(() => withdraw(invitation.id));
  const { email, role, inviter, time_expires } = invitation;
  const who = oneLine(email ?? "Whoever has the link");
  return (
    <form onSubmit={form.onSubmit} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <div className="min-w-0 flex-1 basis-40">
        <p className="truncate">{who}</p>
        <p className="truncate text-sm text-ink-muted">
          By {inviter}, until {dayWords(time_expires)}
        </p>
      </div>
      {role === null ? null : <Badge>{roleNames[role]}</Badge>}
      <Button type="submit" size="sm" busy={form.busy} aria-label={`Withdraw the invitation: ${who}`}>
        Withdraw
      </Button>
      <FormAlert message={form.error} />
    </form>
  );
}
