import { Crown, X } from "lucide-react";
import { useState } from "react";
import { fullName, roleNames } from "../../format/person-names.ts";
import { messageOf } from "../../message-of.ts";
import { toast } from "../../ui/overlay/toast.ts";

import type { MemberRole, ProjectMember } from "@miranda/contract/schemas/members.ts";

import { useMemberCalls } from "../../api/members.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

interface MemberRowProps {
  projectId: string;
  member: ProjectMember;
  isYou: boolean;
  canManage: boolean;
  onRemoved: () => void;
  onTransfer: () => void;
  onLeave: () => void;
}

export function MemberRow(props: MemberRowProps) {
  const { projectId, member, isYou, canManage, onRemoved, onTransfer, onLeave } = props;
  const managed = canManage && member.role !== "owner";
  return (
    <div data-testid="member" className="flex flex-wrap items-center gap-x-3 gap-y-1.5 py-2.5">
      <Avatar name={fullName(member)} src={member.avatar} />
      <div className="min-w-0 flex-1 basis-20">
        <p className="truncate font-medium">
          {fullName(member)}
          {isYou ? <span className="font-normal text-ink-faint"> (you)</span> : null}
        </p>
        <p className="truncate text-sm text-ink-muted">@{member.username}</p>
      </div>
      {managed ? (
        <ManagedMember projectId={projectId} member={member} onRemoved={onRemoved} onTransfer={onTransfer} />
      ) : (
        <Badge tone={member.role === "owner" ? "accent" : "neutral"}>{roleNames[member.role]}</Badge>
      )}
      {isYou && !managed && member.role !== "owner" ? (
        <Button size="sm" onClick={onLeave}>
          Leave
        </Button>
      ) : null}
    </div>
  );
}

type ManagedMemberProps = Pick<MemberRowProps, "projectId" | "member" | "onRemoved" | "onTransfer">;

function ManagedMember({ projectId, member, onRemoved, onTransfer }: ManagedMemberProps) {
  const { changeRole, remove } = useMemberCalls(projectId);
  const [pending, setPending] = useState<MemberRole | null>(null);
  const [removing, setRemoving] = useState(false);
  const name = fullName(member);

  async function choose(wanted: MemberRole) {
    setPending(wanted);
    await changeRole(member.id, wanted).catch(showError);
    setPending(null);
  }

  async function removeMember() {
    setRemoving(true);
    try {
      await remove(member.id);
      onRemoved();
    } catch (cause) {
      showError(cause);
      setRemoving(false);
    }
  }

  return (
    <span className="flex items-center gap-1">
      <select
        aria-label={`Role of ${name}`}
        value={pending ?? member.role}
        onChange={(event) => void choose(event.target.value === "editor" ? "editor" : "viewer")}
        className="h-8 rounded-md border border-line-strong bg-surface px-2 text-sm transition-colors hover:border-ink-faint"
      >
        <option value="viewer">Viewer</option>
        <option value="editor">Editor</option>
      </select>
      <IconButton icon={Crown} label={`Make ${name} the owner`} onClick={onTransfer} />
      <IconButton icon={X} label={`Remove ${name}`} danger disabled={removing} onClick={() => void removeMember()} />
    </span>
  );
}

interface RemovedRowProps {
  projectId: string;
  member: ProjectMember;
  onBack: () => void;
}

/** Shown in place of a member who was just removed. A toast could not be reached behind the dialog. */
export function RemovedRow({ projectId, member, onBack }: RemovedRowProps) {
  const { add } = useMemberCalls(projectId);
  const [busy, setBusy] = useState(false);

  async function undo() {
    const { username: user, role } = member;
    // An owner cannot be removed, and cannot be invited.
    if (role === "owner") return;
    setBusy(true);
    try {
      await add({ user, role });
      onBack();
    } catch (cause) {
      showError(cause);
      setBusy(false);
    }
  }

  return (
    <div className="flex items-center gap-3 py-2.5">
      <output className="block min-w-0 flex-1 truncate text-ink-muted">{fullName(member)} was removed.</output>
      <Button
        size="sm"
        busy={busy}
        onClick={() => void undo()}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it replaces the button that was pressed
        autoFocus
      >
        Undo
      </Button>
    </div>
  );
}

function showError(cause: unknown): void {
  toast.error(messageOf(cause));
}
