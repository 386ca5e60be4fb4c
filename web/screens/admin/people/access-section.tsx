import { type ReactNode, useState } from "react";

import { assertNever } from "@miranda/contract/assert-never.ts";
import type { PasswordLink } from "@miranda/contract/schemas/account/people.ts";

import { useFactorsOf, usePeopleCalls } from "../../../api/admin/people.ts";
import { fullName } from "../../../format/person-names.ts";
import { Button } from "../../../ui/button.tsx";
import { CheckboxField } from "../../../ui/form/checkbox-field.tsx";
import { SettingsSection } from "../../../ui/form/settings-section.tsx";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { PasswordLinkDialog } from "./password-link-dialog.tsx";
import type { PersonPartProps } from "./person-form.tsx";
import { factorsText } from "./person-words.ts";

type Question = "link" | "sign-out" | "disable" | "enable" | "admin" | "factors";

/** Who the person is here, and how they get in. Every act is asked about first. */
export function AccessSection({ person, onReload }: PersonPartProps) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [link, setLink] = useState<PasswordLink | null>(null);
  const isDisabled = person.time_disabled !== null;
  return (
    <SettingsSection title="Access" description="How this person gets in, and what they may do.">
      <ul className="-my-3 flex flex-col divide-y divide-line">
        <ActionRow
          words="A link with which the person sets a new password."
          action="Reset password"
          onAction={() => setQuestion("link")}
          disabled={isDisabled}
        />
        {person.has_second_factor ? <FactorsRow id={person.id} onAction={() => setQuestion("factors")} /> : null}
        <ActionRow
          words="Ends the person's sessions in every browser."
          action="Sign out everywhere"
          onAction={() => setQuestion("sign-out")}
        />
        <ActionRow
          words={
            person.is_admin ? "Administrators see and change everything." : "Let the person see and change everything."
          }
          action={person.is_admin ? "Remove administrator role" : "Make administrator"}
          onAction={() => setQuestion("admin")}
        />
        <ActionRow
          words={
            isDisabled
              ? "The person cannot sign in, and their tokens are refused."
              : "The person can no longer sign in, and their tokens are refused. Nothing is deleted."
          }
          action={isDisabled ? "Enable account" : "Disable account"}
          onAction={() => setQuestion(isDisabled ? "enable" : "disable")}
        />
      </ul>
      {question ? (
        <QuestionDialog
          question={question}
          person={person}
          onReload={onReload}
          onLink={setLink}
          onClose={() => setQuestion(null)}
        />
      ) : null}
      {link ? <PasswordLinkDialog name={fullName(person)} link={link} onClose={() => setLink(null)} /> : null}
    </SettingsSection>
  );
}

function FactorsRow({ id, onAction }: { id: string; onAction: () => void }) {
  const { data, error } = useFactorsOf(id);
  const words = data ? factorsText(data) : (error?.message ?? "Authenticator app, passkeys and recovery codes.");
  return <ActionRow words={words} action="Remove second factors" onAction={onAction} />;
}

interface ActionRowProps {
  words: ReactNode;
  action: string;
  onAction: () => void;
  disabled?: boolean;
}

function ActionRow({ words, action, onAction, disabled = false }: ActionRowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <span className="min-w-48 flex-1 text-sm text-ink-muted">{words}</span>
      <Button onClick={onAction} disabled={disabled}>
        {action}
      </Button>
    </li>
  );
}

interface QuestionDialogProps extends PersonPartProps {
  question: Question;
  onLink: (link: PasswordLink) => void;
  onClose: () => void;
}

function QuestionDialog({ question, person, onReload, onLink, onClose }: QuestionDialogProps) {
  const { change, makeLink, removeSecondFactors, signOut } = usePeopleCalls();
  const [isStopping, setStopping] = useState(person.running > 0);
  const name = fullName(person);
  const { running } = person;

  async function act(): Promise<void> {
    switch (question) {
      case "link":
        onLink(await makeLink(person.id));
        break;
      case "sign-out": {
        const { browsers } = await signOut(person.id);
        toast.success(browsers === 1 ? "1 browser was signed out." : `${browsers} browsers were signed out.`);
        break;
      }
      case "admin":
        await change(person, { is_admin: !person.is_admin });
        break;
      case "disable":
        await change(person, { disabled: true, stop_sessions: isStopping });
        break;
      case "factors":
        await removeSecondFactors(person.id);
        break;
      case "enable":
        await change(person, { disabled: false });
        break;
      default:
        return assertNever(question);
    }
    if (question !== "link") await onReload();
    onClose();
  }

  const words = {
    link: {
      title: `Reset the password of ${name}?`,
      action: "Create link",
      text: "The old password works until the link is used. Using it signs the person out everywhere and revokes their tokens.",
    },
    "sign-out": {
      title: `Sign ${name} out everywhere?`,
      action: "Sign out",
      text: "The person can sign in again. Access tokens stay.",
    },
    admin: person.is_admin
      ? {
          title: `Remove the administrator role from ${name}?`,
          action: "Remove administrator role",
          text: "The person keeps the account and its projects.",
        }
      : {
          title: `Make ${name} an administrator?`,
          action: "Make administrator",
          text: "Administrators see every project and change every account.",
        },
    factors: {
      title: `Remove the second factors of ${name}?`,
      action: "Remove second factors",
      text: "For somebody who lost phone, passkeys and recovery codes. The person is signed out, and signs in with the password alone.",
    },
    disable: {
      title: `Disable the account of ${name}?`,
      action: "Disable account",
      text: "The person is signed out at once. Their projects stay, and you can enable the account again.",
    },
    enable: {
      title: `Enable the account of ${name}?`,
      action: "Enable account",
      text: "The person can sign in again, and their tokens work again.",
    },
  }[question];
  return (
    <ConfirmDialog {...words} onConfirm={act} onClose={onClose}>
      {question === "disable" && running > 0 ? (
        <CheckboxField
          label={running === 1 ? "Stop the processor that runs" : `Stop the ${running} processors that run`}
          hint={
            running === 1
              ? "Otherwise it goes on, and costs money, until it ends."
              : "Otherwise they go on, and cost money, until they end."
          }
          checked={isStopping}
          onChange={(event) => setStopping(event.target.checked)}
        />
      ) : null}
    </ConfirmDialog>
  );
}
