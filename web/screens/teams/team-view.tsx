import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";

import type { TeamDetails } from "@miranda/contract/schemas/people/teams.ts";

import { roleNames } from "../../format/person-names.ts";
import { useTeam, useTeamCalls } from "../../api/people/teams.ts";
import { useAccount } from "../../api/account/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert, SelectField, TextField } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { PersonRow } from "./person-row.tsx";

/** One team: its people, its projects, and for who may, its name and end. */
export function TeamView({ id }: { id: string }) {
  const { data, error, isFetching, refetch } = useTeam(id);
  return (
    <div className="flex flex-col gap-8">
      <Link to="/account/teams" className="flex items-center gap-1.5 self-start text-sm text-ink-muted hover:text-ink">
        <ArrowLeft className="size-4" aria-hidden="true" />
        All teams
      </Link>
      {data ? <Sections details={data} /> : null}
      {!data && error ? (
        <LoadFailure
          title="The team could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {!data && !error ? <LoadingArea label="Loading the team" /> : null}
    </div>
  );
}

function Sections({ details }: { details: TeamDetails }) {
  const { team, people, projects } = details;
  const { is_admin } = useAccount();
  const owns = team.role === "owner" || is_admin === 1;
  const manages = owns || team.role === "manager";
  return (
    <>
      <h2 className="-mb-3 text-xl font-semibold wrap-anywhere">{oneLine(team.name)}</h2>
      <SettingsSection title="People" description="Everybody in the team can open its projects.">
        <div className="flex flex-col gap-4">
          {manages ? <AddPerson teamId={team.id} /> : null}
          <ul aria-label="People of the team" className="divide-y divide-line">
            {people.map((person) => (
              <li key={person.id}>
                <PersonRow team={team} person={person} owns={owns} manages={manages} />
              </li>
            ))}
          </ul>
        </div>
      </SettingsSection>
      <SettingsSection title="Projects" description="Owners of projects share them with the team.">
        {projects.length === 0 ? (
          <p className="text-ink-muted">No project is shared with this team yet. Use Share on the page of a project.</p>
        ) : (
          <ul className="divide-y divide-line">
            {projects.map((project) => (
              <li key={project.id} className="flex items-center gap-3 py-2">
                <Link
                  to={`/designer/projects/${project.id}`}
                  className="min-w-0 flex-1 truncate font-medium hover:text-accent-text"
                >
                  {oneLine(project.name)}
                </Link>
                <Badge>{roleNames[project.role]}</Badge>
              </li>
            ))}
          </ul>
        )}
      </SettingsSection>
      {manages ? <NameSection details={details} /> : null}
      <EndSection details={details} owns={owns} />
    </>
  );
}

function AddPerson({ teamId }: { teamId: string }) {
  const { addPerson } = useTeamCalls();
  const form = useForm(async (fields, element) => {
    const role = fieldText(fields, "role") === "manager" ? "manager" : "member";
    await addPerson(teamId, { user: fieldText(fields, "user"), role });
    element.reset();
  });
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-2">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 sm:grid-cols-[minmax(0,1fr)_8rem_auto]">
        <div className="max-sm:col-span-2">
          <TextField
            label="Add somebody"
            name="user"
            placeholder="Username or e-mail"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </div>
        <SelectField label="Role" name="role" defaultValue="member">
          <option value="member">Member</option>
          <option value="manager">Manager</option>
        </SelectField>
        <Button type="submit" variant="primary" busy={form.busy}>
          Add
        </Button>
      </div>
      <p className="text-xs text-ink-faint">Managers also add and remove people.</p>
      <FormAlert message={form.error} />
    </form>
  );
}

function NameSection({ details: { team } }: { details: TeamDetails }) {
  const { rename } = useTeamCalls();
  const form = useForm((fields) => rename(team.id, fieldText(fields, "name")));
  return (
    <SettingsSection title="Name" description="What people see where a project is shared.">
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-2">
        <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2">
          <TextField label="Name of the team" name="name" autoComplete="off" defaultValue={team.name} />
          <Button type="submit" busy={form.busy}>
            Save name
          </Button>
        </div>
        <FormAlert message={form.error} />
      </form>
    </SettingsSection>
  );
}

function EndSection({ details: { team }, owns }: { details: TeamDetails; owns: boolean }) {
  const { remove, leave } = useTeamCalls();
  const { id } = useAccount();
  const navigate = useNavigate();
  const [asks, setAsks] = useState<"leave" | "delete" | null>(null);
  const close = () => setAsks(null);
  const isIn = team.role !== null && team.role !== "owner";
  const back = () => navigate("/account/teams", { replace: true });
  const name = oneLine(team.name);
  return (
    <SettingsSection
      title={owns ? "Delete the team" : "Leave the team"}
      description={
        owns
          ? "Its people lose the projects that they are in only through the team."
          : "You lose the projects that you are in only through the team."
      }
    >
      <div className="flex flex-wrap gap-2">
        {isIn ? <Button onClick={() => setAsks("leave")}>Leave the team</Button> : null}
        {owns ? (
          <Button variant="danger" onClick={() => setAsks("delete")}>
            Delete the team
          </Button>
        ) : null}
      </div>
      {asks === "leave" ? (
        <ConfirmDialog
          title={`Leave ${name}`}
          text="You lose the projects that you are in only through this team."
          action="Leave"
          onClose={close}
          onConfirm={async () => {
            await leave(team.id, id);
            await back();
          }}
        />
      ) : null}
      {asks === "delete" ? (
        <ConfirmDialog
          title={`Delete ${name}`}
          text="Everybody in it loses the projects that they are in only through this team. The projects stay."
          action="Delete"
          onClose={close}
          onConfirm={async () => {
            await remove(team.id);
            await back();
          }}
        />
      ) : null}
    </SettingsSection>
  );
}
