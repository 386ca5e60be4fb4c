import { useRef, useState } from "react";
import { toast } from "../../ui/overlay/toast.ts";

import type { MemberRole } from "@miranda/contract/schemas/members.ts";

import { useMemberCalls } from "../../api/members.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert, SelectField, TextField } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";

export function InviteForm({ projectId }: { projectId: string }) {
  const { add } = useMemberCalls(projectId);
  const [user, setUser] = useState("");
  const [role, setRole] = useState<MemberRole>("viewer");
  const field = useRef<HTMLInputElement>(null);
  const form = useForm(async () => {
    await add({ user, role });
    setUser("");
    toast.success("Invited.");
    field.current?.focus();
  });

  return (
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
  );
}
