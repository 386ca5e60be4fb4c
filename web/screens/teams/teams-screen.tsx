import { Users } from "lucide-react";
import { Link, useNavigate, useParams } from "react-router";

import { useTeamCalls, useTeams } from "../../api/people/teams.ts";
import { AccountPage } from "../../shell/account/account-page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { counted, peopleCount } from "../../ui/counted.ts";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Card } from "../../ui/layout/card.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { TeamView } from "./team-view.tsx";
import { teamRoles } from "./team-words.ts";

/** The teams that this account is in, and one of them. */
export function TeamsScreen() {
  const { teamId } = useParams();
  return (
    <AccountPage title="Teams">
      {teamId === undefined ? <TeamList /> : <TeamView key={teamId} id={teamId} />}
    </AccountPage>
  );
}

function TeamList() {
  const { data: teams, error, isFetching, refetch } = useTeams();
  if (!teams)
    return error ? (
      <LoadFailure
        title="The teams could not be loaded"
        message={error.message}
        busy={isFetching}
        onRetry={() => void refetch()}
      />
    ) : (
      <LoadingArea label="Loading teams" />
    );
  return (
    <div className="flex flex-col gap-6">
      <p className="max-w-2xl text-ink-muted text-pretty">
        A team is a named set of people. Share a project with a team, and everybody in it has the project. Whoever
        leaves the team loses it.
      </p>
      <NewTeam />
      <ul className="grid gap-3 empty:hidden sm:grid-cols-2">
        {teams.map((team) => (
          <li key={team.id}>
            <Card className="group relative flex items-center gap-3 p-4 transition-colors hover:border-line-strong">
              <span className="grid size-9 shrink-0 place-items-center rounded-full bg-accent-soft text-accent-text">
                <Users className="size-4.5" aria-hidden="true" />
              </span>
              <div className="min-w-0 flex-1">
                <h2 className="truncate font-semibold">
                  <Link
                    to={`/account/teams/${team.id}`}
                    className="group-hover:text-accent-text before:absolute before:inset-0 before:rounded-lg focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:outline-(--ring)"
                  >
                    {oneLine(team.name)}
                  </Link>
                </h2>
                <p className="text-sm text-ink-muted">
                  {peopleCount(team.people)}, {counted(team.projects, "project")}
                </p>
              </div>
              {team.role === null ? null : <Badge>{teamRoles[team.role]}</Badge>}
            </Card>
          </li>
        ))}
      </ul>
      {teams.length === 0 ? <p className="text-ink-muted">You are in no team yet.</p> : null}
    </div>
  );
}

function NewTeam() {
  const { create } = useTeamCalls();
  const navigate = useNavigate();
  const form = useForm(async (fields) => {
    const { id } = await create(fieldText(fields, "name"));
    await navigate(`/account/teams/${id}`);
  });
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex max-w-md flex-col gap-2">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2">
        <TextField label="Name of a new team" name="name" autoComplete="off" />
        <Button type="submit" variant="primary" busy={form.busy}>
          Make a team
        </Button>
      </div>
      <FormAlert message={form.error} />
    </form>
  );
}
