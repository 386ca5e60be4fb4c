import { Link, useNavigate, useParams } from "react-router";

import type { OpenedInvitation } from "@miranda/contract/schemas/people/invitations.ts";

import { useSession } from "../../api/account/session.ts";
import { useAcceptInvitation, useOpenedInvitation } from "../../api/people/invitations.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { dayWords } from "../../format/day-words.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

/** Who invites to what, and how to sign in: with an account, or without one yet. */
export function InvitationScreen() {
  const { token = "" } = useParams();
  const { data, error } = useOpenedInvitation(token);
  if (error)
    return (
      <Entrance title="This invitation cannot be used" subtitle={error.message}>
        <Link to="/" className={buttonClasses({ size: "lg" })}>
          Go to Miranda
        </Link>
      </Entrance>
    );
  if (!data)
    return (
      <Entrance title="Invitation" subtitle="One moment.">
        <Spinner label="Loading the invitation" showLabel />
      </Entrance>
    );
  return (
    <Entrance title="You are invited" subtitle={whatItIs(data)}>
      <SignInChoices token={token} invitation={data} />
    </Entrance>
  );
}

function whatItIs({ inviter, project, role }: OpenedInvitation) {
  const place = project === null ? "Miranda" : oneLine(project);
  return (
    <>
      {oneLine(inviter)} invites you to <strong className="font-semibold text-ink wrap-anywhere">{place}</strong>
      {role === "editor" ? ", to build it together." : role === "viewer" ? ", to read it." : "."}
    </>
  );
}

function SignInChoices({ token, invitation }: { token: string; invitation: OpenedInvitation }) {
  const { account } = useSession();
  const { email, can_register, time_expires } = invitation;
  const next = encodeURIComponent(`/invitation/${token}`);
  return (
    <div className="flex flex-col gap-3">
      {account ? (
        <Accept token={token} username={account.username} isForNew={invitation.project === null} />
      ) : (
        <>
          {can_register ? (
            <Link
              to={`/register?invitation=${encodeURIComponent(token)}`}
              className={buttonClasses({ variant: "primary", size: "lg" })}
            >
              Create an account
            </Link>
          ) : (
            <p className="text-sm text-ink-muted">New people need an invitation from an administrator here.</p>
          )}
          {invitation.project === null ? null : (
            <Link to={`/login?next=${next}`} className={buttonClasses({ size: "lg" })}>
              Sign in
            </Link>
          )}
        </>
      )}
      <p className="text-sm text-ink-muted wrap-anywhere">
        {email === null ? "It works once" : `Only ${email} can use it, once`}, until {dayWords(time_expires)}.
      </p>
    </div>
  );
}

function Accept({ token, username, isForNew }: { token: string; username: string; isForNew: boolean }) {
  const accept = useAcceptInvitation();
  const navigate = useNavigate();
  const form = useForm(async () => {
    const { project_id } = await accept(token);
    await navigate(project_id === null ? "/designer/" : `/designer/projects/${project_id}`, { replace: true });
  });
  if (isForNew)
    return (
      <>
        <p className="text-ink-muted">You have an account already: you are signed in as {username}.</p>
        <Link to="/designer/" className={buttonClasses({ variant: "primary", size: "lg" })}>
          Go to Miranda
        </Link>
      </>
    );
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-3">
      <Button type="submit" variant="primary" size="lg" busy={form.busy}>
        Accept as {username}
      </Button>
      <FormAlert message={form.error} takesFocus />
    </form>
  );
}
