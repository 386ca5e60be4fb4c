import type { ReactNode } from "react";
import { useNavigate } from "react-router";

import type { AdminSettings, Registration } from "@miranda/contract/schemas/admin.ts";
import type { Visibility } from "@miranda/contract/schemas/projects.ts";

import { useChangeSettings, useInstallationSettings } from "../../api/admin/installation.ts";
import { AddressField } from "../../panels/installation/address-field.tsx";
import { ChoiceWords } from "../../panels/installation/choice-words.tsx";
import { PaymentChoice, readPayment } from "../../panels/installation/payment-choice.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { Button } from "../../ui/button.tsx";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";

const home = "/designer/";

const registrations: readonly { value: Registration; label: string; hint: string }[] = [
  { value: "invitation", label: "By invitation", hint: "Only people whom you invite." },
  { value: "open", label: "Everybody", hint: "Everybody who reaches this server." },
];

const readers: readonly { value: Visibility; label: string; hint: string }[] = [
  { value: "private", label: "Its members", hint: "The people whom its owner invites." },
  { value: "public", label: "Every account", hint: "Everybody who can sign in." },
];

/** What the administrator of a new installation is asked, with safe answers. It can be put off. */
export function FirstStartScreen() {
  useTopBar({ back: home });
  const { data: settings, error, isFetching, refetch } = useInstallationSettings();
  if (error && !settings)
    return (
      <div className="mx-auto w-full max-w-xl px-4 py-16">
        <LoadFailure
          title="The settings could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!settings) return <LoadingArea label="Loading the settings" />;
  return <Questions settings={settings} />;
}

function Questions({ settings }: { settings: AdminSettings }) {
  const navigate = useNavigate();
  const change = useChangeSettings(settings);
  const isAnswered = settings.first_start === "done";
  const form = useForm(async (fields) => {
    await change({
      registration: fieldText(fields, "registration") === "open" ? "open" : "invitation",
      default_visibility: fieldText(fields, "visibility") === "public" ? "public" : "private",
      ...readPayment(fields),
      ...(settings.address.fixed ? {} : { public_url: fieldText(fields, "public_url") }),
      first_start: "done",
    });
    toast.success("Settings saved.");
    await navigate(home);
  });

  async function putOff() {
    if (!isAnswered) await change({ first_start: "later" });
    await navigate(home);
  }

  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-8 sm:px-6 sm:py-14">
      <h1 className="text-2xl font-semibold text-balance">Who may use this installation?</h1>
      <p className="mt-1 text-ink-muted text-pretty">
        Four questions. The safe answers are chosen. You can change all of them later, under Administration.
      </p>
      <form onSubmit={form.onSubmit} noValidate className="mt-8 flex flex-col gap-8">
        <Question title="Who may register?">
          <ChoiceGroup
            legend="Who may register?"
            legendHidden
            name="registration"
            defaultValue={isAnswered ? settings.registration : "invitation"}
            className="sm:grid-cols-2"
            options={registrations.map(({ value, ...words }) => ({ value, label: <ChoiceWords {...words} /> }))}
          />
        </Question>
        <Question title="Who sees a new project?">
          <ChoiceGroup
            legend="Who sees a new project?"
            legendHidden
            name="visibility"
            defaultValue={settings.default_visibility}
            className="sm:grid-cols-2"
            options={readers.map(({ value, ...words }) => ({ value, label: <ChoiceWords {...words} /> }))}
          />
        </Question>
        <Question title="How is running paid for?">
          <PaymentChoice settings={settings} />
        </Question>
        <Question title="Which address does the server have?">
          <AddressField settings={settings} suggested={location.origin} />
        </Question>
        <FormAlert message={form.error} takesFocus />
        <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-5">
          <Button variant="ghost" onClick={() => toastFailure(putOff())}>
            Answer later
          </Button>
          <Button type="submit" variant="primary" busy={form.busy}>
            Save answers
          </Button>
        </div>
      </form>
    </div>
  );
}

function Question({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3">
      <h2 className="text-lg font-semibold">{title}</h2>
      {children}
    </section>
  );
}
