import { Link2, Mail } from "lucide-react";
import { useRef, useState } from "react";
import { toast } from "../../ui/overlay/toast.ts";

import type { MemberRole } from "@miranda/contract/schemas/members.ts";
import type { NewInvitation } from "@miranda/contract/schemas/people/invitations.ts";

import { isRefusedWith } from "../../api/http.ts";
import { useMemberCalls } from "../../api/members.ts";
import { useInvitationCalls } from "../../api/people/invitations.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert, SelectField, TextField } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { InvitationLink } from "../../panels/invitations/invitation-link.tsx";

const looksLikeEmail = /^\S+@\S+\.\S+$/;

/** Adds somebody who has an account, or makes an invitation for somebody who has none. */
export function InviteForm({ projectId }: { projectId: string }) {
  const { add } = useMemberCalls(projectId);
  const { create } = useInvitationCalls(projectId);
  const [user, setUser] = useState("");
  const [role, setRole] = useState<MemberRole>("viewer");
  /** An address without an account, which can get an invitation. */
  const [unknown, setUnknown] = useState("");
  const [made, setMade] = useState<NewInvitation | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const form = useForm(async () => {
    setMade(null);
    try {
      await add({ user, role });
    } catch (cause) {
      if (isRefusedWith(cause, "account_not_found") && looksLikeEmail.test(user.trim())) setUnknown(user.trim());
      throw cause;
    }
    // They may type the next name already.
    setUser((now) => (now === user ? "" : now));
    toast.success("Invited.");
    field.current?.focus();
  });
  const inviting = useForm(async () => {
    setMade(await create({ email: unknown, role }));
    form.clearError();
    if (unknown !== "") setUser("");
    setUnknown("");
  });

  return (
    <div className="flex flex-col gap-2">
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-2">
        <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 sm:grid-cols-[minmax(0,1fr)_8rem_auto]">
          <div className="max-sm:col-span-2">
            <TextField
              ref={field}
              label="Invite somebody"
              placeholder="Username or e-mail"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={user}
              onChange={(event) => {
                form.clearError();
                setUnknown("");
                setUser(event.target.value);
              }}
            />
          </div>
          <SelectField
            label="Role"
            value={role}
            onChange={(event) => setRole(event.target.value === "editor" ? "editor" : "viewer")}
          >
            <option value="viewer">Viewer</option>
            <option value="editor">Editor</option>
          </SelectField>
          <Button type="submit" variant="primary" busy={form.busy} disabled={user.trim() === ""}>
            Invite
          </Button>
        </div>
        <p className="text-xs text-ink-faint">
          Viewers read and clone. Editors also change, add and delete workflows, and run them.
        </p>
        <FormAlert message={form.error} />
      </form>
      <form onSubmit={inviting.onSubmit} className="flex flex-col items-start gap-2">
        <Button type="submit" size="sm" busy={inviting.busy}>
          {unknown === "" ? (
            <>
              <Link2 className="size-4" aria-hidden="true" />
              Make an invitation link
            </>
          ) : (
            <>
              <Mail className="size-4" aria-hidden="true" />
              Invite {unknown}
            </>
          )}
        </Button>
        <FormAlert message={inviting.error} />
      </form>
      {made ? <InvitationLink made={made} /> : null}
    </div>
  );
}
