import { X } from "lucide-react";
import { useState } from "react";

import type { Team, TeamPerson } from "@miranda/contract/schemas/people/teams.ts";

import { fullName } from "../../format/person-names.ts";
import { useTeamCalls } from "../../api/people/teams.ts";
import { useAccount } from "../../api/account/session.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { teamRoles } from "./team-words.ts";

interface PersonRowProps {
  team: Team;
  person: TeamPerson;
  owns: boolean;
  manages: boolean;
}

export function PersonRow({ team, person, owns, manages }: PersonRowProps) {
  const { changeRole, removePerson } = useTeamCalls();
  const { username } = useAccount();
  const [isConfirmingOwner, setIsConfirmingOwner] = useState(false);
  const name = oneLine(fullName(person));
  const isManaged = manages && person.role !== "owner";

  function choose(text: string) {
    if (text === "owner") setIsConfirmingOwner(true);
    else toastFailure(changeRole(team.id, person.id, text === "manager" ? "manager" : "member"));
  }

  return (
    <div data-testid="team-person" className="flex flex-wrap items-center gap-x-3 gap-y-1.5 py-2.5">
      <Avatar name={name} src={person.avatar} />
      <div className="min-w-0 flex-1 basis-24">
        <p className="truncate font-medium">
          {name}
          {person.username === username ? <span className="font-normal text-ink-faint"> (you)</span> : null}
        </p>
        <p className="truncate text-sm text-ink-muted">@{person.username}</p>
      </div>
      {isManaged ? (
        <span className="flex items-center gap-1">
          <select
            aria-label={`Role of ${name}`}
            value={person.role}
            onChange={(event) => choose(event.target.value)}
            className="h-8 rounded-md border border-line-strong bg-surface px-2 text-sm transition-colors hover:border-ink-faint"
          >
            {owns ? <option value="owner">Owner</option> : null}
            <option value="manager">Manager</option>
            <option value="member">Member</option>
          </select>
          {person.username === username ? null : (
            <IconButton
              icon={X}
              label={`Remove ${name}`}
              danger
              onClick={() => toastFailure(removePerson(team.id, person.id))}
            />
          )}
        </span>
      ) : (
        <Badge tone={person.role === "owner" ? "accent" : "neutral"}>{teamRoles[person.role]}</Badge>
      )}
      {isConfirmingOwner ? (
        <ConfirmDialog
          title={`Make ${name} the owner`}
          text={`${name} will own ${oneLine(team.name)} and can delete it. The current owner becomes a manager.`}
          action="Make the owner"
          onClose={() => setIsConfirmingOwner(false)}
          onConfirm={async () => {
            await changeRole(team.id, person.id, "owner");
            setIsConfirmingOwner(false);
          }}
        />
      ) : null}
    </div>
  );
}
