import { Users, X } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import type { MemberRole } from "@miranda/contract/schemas/members.ts";
import type { ProjectTeam } from "@miranda/contract/schemas/people/teams.ts";

import { useProjectTeamCalls, useProjectTeams, useTeams } from "../../../api/people/teams.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { peopleCount } from "../../../ui/counted.ts";
import { FormAlert, SelectField } from "../../../ui/form/field.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";

/** The teams of a project. Owners add their own ones. */
export function TeamSection({ projectId, owns }: { projectId: string; owns: boolean }) {
  const { data: teams, error } = useProjectTeams(projectId);
  if (!teams) return error ? <FormAlert message={error.message} /> : null;
  if (!owns && teams.length === 0) return null;
  return (
    <section aria-label="Teams" className="flex flex-col gap-2">
      {owns ? <AddTeam projectId={projectId} present={teams} /> : <h3 className="text-sm font-medium">Teams</h3>}
      <ul className="divide-y divide-line empty:hidden">
        {teams.map((team) => (
          <li key={team.id}>
            <TeamRow projectId={projectId} team={team} owns={owns} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function AddTeam({ projectId, present }: { projectId: string; present: readonly ProjectTeam[] }) {
  const { add } = useProjectTeamCalls(projectId);
  const { data: own = [] } = useTeams();
  const [team, setTeam] = useState("");
  const [role, setRole] = useState<MemberRole>("viewer");
  const form = useForm(async () => {
    await add(team, role);
    setTeam("");
  });
  const others = own.filter(({ id }) => !present.some((one) => one.id === id));
  if (others.length === 0)
    return (
      <p className="text-sm text-ink-muted">
        {own.length === 0 ? "You can also share with a team. " : "All your teams are in this project. "}
        <Link to="/account/teams" className="font-medium text-accent-text hover:underline">
          {own.length === 0 ? "Make a team" : "Your teams"}
        </Link>
      </p>
    );
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-2">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 sm:grid-cols-[minmax(0,1fr)_8rem_auto]">
        <div className="max-sm:col-span-2">
          <SelectField label="Share with a team" value={team} onChange={(event) => setTeam(event.target.value)}>
            <option value="">Choose a team</option>
            {others.map(({ id, name, people }) => (
              <option key={id} value={id}>
                {oneLine(name)} ({peopleCount(people)})
              </option>
            ))}
          </SelectField>
        </div>
        <SelectField
          label="Role of the team"
          value={role}
          onChange={(event) => setRole(event.target.value === "editor" ? "editor" : "viewer")}
        >
          <option value="viewer">Viewer</option>
          <option value="editor">Editor</option>
        </SelectField>
        <Button type="submit" busy={form.busy} disabled={team === ""}>
          Share
        </Button>
      </div>
      <FormAlert message={form.error} />
    </form>
  );
}

function TeamRow({ projectId, team, owns }: { projectId: string; team: ProjectTeam; owns: boolean }) {
  const { change, remove } = useProjectTeamCalls(projectId);
  const name = oneLine(team.name);
  return (
    <div data-testid="project-team" className="flex items-center gap-3 py-2.5">
      <span className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft text-accent-text">
        <Users className="size-4" aria-hidden="true" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">
          {name}
          {team.yours ? <span className="font-normal text-ink-faint"> (your team)</span> : null}
        </p>
        <p className="text-sm text-ink-muted">{peopleCount(team.people)}</p>
      </div>
      {owns ? (
        <span className="flex items-center gap-1">
          <select
            aria-label={`Role of ${name}`}
            value={team.role}
            onChange={(event) => toastFailure(change(team.id, event.target.value === "editor" ? "editor" : "viewer"))}
            className="h-8 rounded-md border border-line-strong bg-surface px-2 text-sm transition-colors hover:border-ink-faint"
          >
            <option value="viewer">Viewer</option>
            <option value="editor">Editor</option>
          </select>
          <IconButton icon={X} label={`Remove ${name}`} danger onClick={() => toastFailure(remove(team.id))} />
        </span>
      ) : (
        <Badge>{team.role === "editor" ? "Editor" : "Viewer"}</Badge>
      )}
    </div>
  );
}
