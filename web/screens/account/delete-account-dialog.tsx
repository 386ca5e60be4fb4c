import { useId, useState } from "react";

import { errors } from "@miranda/contract/errors.ts";

import { deleteAccount, useAccountDeletion } from "../../api/account/deletion.ts";
import { useAccount } from "../../api/account/session.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { ReauthField } from "../../shell/account/reauth-field.tsx";
import { EndedDeployments } from "../../shell/project/ended-deployments.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { lossesOf, type Transfers } from "./account-losses.ts";
import { HandOver } from "./hand-over.tsx";

const kept = [
  "Your work in other people’s projects, by “Deleted account”",
  "Templates that you published",
  "The record of what your sessions cost, without your name",
];

/** First shows what goes, then asks for the username and the password. Open while it is mounted. */
export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { data: deletion, error } = useAccountDeletion();
  const [transfers, setTransfers] = useState<Transfers>({});
  const [confirming, setConfirming] = useState(false);

  if (confirming)
    return <ConfirmDeletion transfers={transfers} onBack={() => setConfirming(false)} onClose={onClose} />;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Delete your account"
      description="This cannot be undone."
      reading={deletion?.shared_projects.length === 0}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" disabled={!deletion || deletion.is_only_admin} onClick={() => setConfirming(true)}>
            Continue
          </Button>
        </>
      }
    >
      {deletion ? (
        <div className="flex flex-col gap-5">
          <FormAlert message={deletion.is_only_admin ? errors.last_admin : null} />
          <Points title="What goes" points={lossesOf(deletion, transfers)} />
          <EndedDeployments count={deletion.deployments} titles={deletion.deployment_titles} />
          <HandOver deletion={deletion} transfers={transfers} onChange={setTransfers} />
          <Points title="What stays" points={kept} />
        </div>
      ) : (
        <>
          <FormAlert message={error?.message} />
          {error ? null : <Spinner label="Counting what would go" showLabel />}
        </>
      )}
    </Dialog>
  );
}

function Points({ title, points }: { title: string; points: readonly string[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="font-semibold">
        {title}
      </h3>
      <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-5 text-ink-muted marker:text-ink-faint">
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </section>
  );
}

interface ConfirmDeletionProps {
  transfers: Transfers;
  onBack: () => void;
  onClose: () => void;
}

function ConfirmDeletion({ transfers, onBack, onClose }: ConfirmDeletionProps) {
  const formId = useId();
  const { username } = useAccount();
  const form = useForm((fields) =>
    deleteAccount({ username: fieldText(fields, "username"), password: fieldText(fields, "password"), transfers }),
  );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Delete your account for good?"
      description={
        <>
          Type your username, <strong className="font-semibold text-ink">{username}</strong>, and your password.
        </>
      }
      footer={
        <>
          <Button onClick={onBack}>Back</Button>
          <Button type="submit" form={formId} variant="danger" busy={form.busy}>
            Delete account
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <TextField label="Username" name="username" autoComplete="off" autoCapitalize="none" spellCheck={false} />
        <ReauthField name="password" />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
