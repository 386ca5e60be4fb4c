import { useState } from "react";
import { useNavigate } from "react-router";
import { fullName } from "../../format/person-names.ts";
import { toast } from "../../ui/overlay/toast.ts";

import type { ProjectMember } from "@miranda/contract/schemas/members.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { useMemberCalls } from "../../api/members.ts";
import { useTransferCalls } from "../../api/people/transfers.ts";
import { useAccount } from "../../api/account/session.ts";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { InviteForm } from "./invite-form.tsx";
import { MemberList } from "./member-list.tsx";
import { MemberRow, RemovedRow } from "./member-row.tsx";
import { OfferedNotice } from "./sharing/offered-notice.tsx";
import { OpenInvitations } from "../../panels/invitations/open-invitations.tsx";
import { SharedResults } from "./sharing/shared-results.tsx";
import { TeamSection } from "./sharing/team-section.tsx";
import { VisibilityChoice } from "./visibility-choice.tsx";

interface ShareDialogProps {
  project: Project;
  onClose: () => void;
}

/** For owners: who may read and change the project. For others: who the members are, and a way to leave. */
export function ShareDialog({ project, onClose }: ShareDialogProps) {
  const owns = project.access === "owner";
  const { username } = useAccount();
  const [removed, setRemoved] = useState<readonly ProjectMember[]>([]);
  const [newOwner, setNewOwner] = useState<ProjectMember | null>(null);
  const [leaving, setLeaving] = useState<ProjectMember | null>(null);

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={owns ? `Share ${project.name}` : "Members"}
      description={
        owns ? "Choose who can see this project, and who builds it with you." : `Who builds ${project.name}.`
      }
      wide
    >
      <div className="flex flex-col gap-6">
        {owns ? <VisibilityChoice project={project} /> : null}
        {owns ? <SharedResults projectId={project.id} /> : null}
        {owns ? <OfferedNotice projectId={project.id} /> : null}
        {owns ? <InviteForm projectId={project.id} /> : null}
        {owns ? <OpenInvitations projectId={project.id} /> : null}
        <TeamSection projectId={project.id} owns={owns} />
        <MemberList
          projectId={project.id}
          removed={removed}
          owns={owns}
          renderMember={({ member, isRemoved }) =>
            isRemoved ? (
              <RemovedRow
                projectId={project.id}
                member={member}
                onBack={() => setRemoved(removed.filter(({ id }) => id !== member.id))}
              />
            ) : (
              <MemberRow
                projectId={project.id}
                member={member}
                isYou={member.username === username}
                canManage={owns}
                onRemoved={() => setRemoved([...removed, member])}
                onTransfer={() => setNewOwner(member)}
                onLeave={() => setLeaving(member)}
              />
            )
          }
        />
      </div>
      {newOwner ? (
        <TransferDialog
          project={project}
          newOwner={newOwner}
          onClose={() => setNewOwner(null)}
          onTransferred={onClose}
        />
      ) : null}
      {leaving ? (
        <LeaveDialog project={project} member={leaving} onClose={() => setLeaving(null)} onLeft={onClose} />
      ) : null}
    </Dialog>
  );
}

interface TransferDialogProps {
  project: Project;
  newOwner: ProjectMember;
  onClose: () => void;
  onTransferred: () => void;
}

function TransferDialog({ project, newOwner, onClose, onTransferred }: TransferDialogProps) {
  const { transfer } = useMemberCalls(project.id);
  const { refresh } = useTransferCalls(project.id);
  return (
    <ConfirmDialog
      title="Transfer ownership"
      text={`${fullName(newOwner)} ${project.created_by.you ? "is asked whether they want to own" : "will own"} ${project.name} and decide who may see it, change it and delete it. Its credits and deployments go along. ${
        project.created_by.you ? "You become an editor." : "The current owner becomes an editor."
      }`}
      action="Transfer"
      onClose={onClose}
      onConfirm={async () => {
        const state = await transfer(newOwner.username);
        await refresh();
        toast.success(
          state === "offered"
            ? `${fullName(newOwner)} is asked whether they take it.`
            : `${fullName(newOwner)} owns the project now.`,
        );
        onTransferred();
      }}
    />
  );
}

interface LeaveDialogProps {
  project: Project;
  member: ProjectMember;
  onClose: () => void;
  onLeft: () => void;
}

function LeaveDialog({ project, member, onClose, onLeft }: LeaveDialogProps) {
  const { leave, refreshAccess } = useMemberCalls(project.id);
  const navigate = useNavigate();
  const isPrivate = project.visibility === "private";
  return (
    <ConfirmDialog
      title={`Leave ${project.name}`}
      text={
        isPrivate
          ? "You will no longer see this project. Only its owner can invite you again."
          : "You will no longer be one of its members. You can still read it, as everyone can."
      }
      action="Leave"
      onClose={onClose}
      onConfirm={async () => {
        await leave(member.id);
        toast.success(`You left ${project.name}.`);
        // Navigate first: this page would request a project that this account may no longer read.
        if (isPrivate) await navigate("/designer/", { replace: true });
        onLeft();
        await refreshAccess();
      }}
    />
  );
}
