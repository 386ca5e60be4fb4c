import { Suspense, useEffect, useState } from "react";
import { useSearchParams } from "react-router";

import type { Identity, ProviderOffer } from "@miranda/contract/schemas/account/providers.ts";

import { useAccount } from "../../api/account/session.ts";
import { goToProvider, useDisconnect, useIdentities } from "../../api/account/providers.ts";
import { useSettings } from "../../api/settings.ts";
import { lazyPart } from "../../load-part.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { toast } from "../../ui/overlay/toast.ts";

const ProviderProblem = lazyPart(() =>
  import("../../shell/account/provider-problem.tsx").then((module) => ({ default: module.ProviderProblem })),
);

/** Connects the account with providers. Not shown where there are none. */
export function ProvidersSection() {
  const offers = useSettings()?.sign_in.providers ?? [];
  const { data: identities = [] } = useIdentities();
  const [query, setQuery] = useSearchParams();
  const isConnected = query.get("connected") !== null;
  const refusal = query.get("problem");

  useEffect(() => {
    if (!isConnected) return;
    toast.success("Connected. You can sign in with it from now on.");
    setQuery({}, { replace: true });
  }, [isConnected, setQuery]);

  // A provider that was removed from the settings can still be disconnected.
  const gone = identities.filter(({ provider }) => !offers.some(({ id }) => id === provider));
  const shown: ProviderOffer[] = [...offers, ...gone.map(({ provider, name }) => ({ id: provider, name }))];
  if (shown.length === 0) return null;
  return (
    <SettingsSection title="Other ways to sign in" description="Sign in with an account that you have elsewhere.">
      <div className="flex flex-col gap-4">
        {refusal ? (
          <Suspense fallback={null}>
            <ProviderProblem problem={refusal} provider={query.get("provider")} />
          </Suspense>
        ) : null}
        <ul aria-label="Providers" className="-my-1 flex flex-col divide-y divide-line">
          {shown.map((offer) => (
            <ProviderRow
              key={offer.id}
              offer={offer}
              identity={identities.find(({ provider }) => provider === offer.id)}
            />
          ))}
        </ul>
      </div>
    </SettingsSection>
  );
}

interface ProviderRowProps {
  offer: ProviderOffer;
  identity: Identity | undefined;
}

function ProviderRow({ offer: { id, name }, identity }: ProviderRowProps) {
  const { has_password } = useAccount();
  const disconnect = useDisconnect();
  const [asking, setAsking] = useState(false);
  const leaving = useForm(async (fields) => {
    await goToProvider(id, { purpose: "connect", password: fieldText(fields, "password") });
  });
  const removing = useForm(async () => {
    await disconnect(id);
    toast.success(`Disconnected from ${name}.`);
  });
  const asksPassword = !identity && has_password;

  return (
    <li className="flex flex-col gap-3 py-3" data-testid="provider">
      <form
        onSubmit={identity ? removing.onSubmit : leaving.onSubmit}
        noValidate
        className="flex flex-wrap items-center gap-3"
      >
        <div className="min-w-0 flex-1">
          <div className="truncate font-medium">{name}</div>
          <div className="truncate text-sm text-ink-muted">
            {identity ? (
              <>
                {identity.email ? `${identity.email} · ` : ""}Last used <RelativeTime time={identity.last_used} />
              </>
            ) : (
              "Not connected"
            )}
          </div>
        </div>
        {asksPassword && !asking ? (
          <Button size="sm" onClick={() => setAsking(true)} aria-label={`Connect ${name}`}>
            Connect
          </Button>
        ) : null}
        {asksPassword && asking ? (
          <div className="flex w-full flex-col gap-3">
            <PasswordField
              label="Your password"
              name="password"
              autoComplete="current-password"
              hint={`Then you sign in at ${name}.`}
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just asked for it
              autoFocus
            />
            <div className="flex justify-end gap-2">
              <Button variant="ghost" onClick={() => setAsking(false)}>
                Cancel
              </Button>
              <Button type="submit" variant="primary" busy={leaving.busy}>
                Continue to {name}
              </Button>
            </div>
          </div>
        ) : null}
        {asksPassword ? null : (
          <Button
            type="submit"
            size="sm"
            busy={leaving.busy || removing.busy}
            aria-label={`${identity ? "Disconnect" : "Connect"} ${name}`}
          >
            {identity ? "Disconnect" : "Connect"}
          </Button>
        )}
      </form>
      <FormAlert message={leaving.error ?? removing.error} takesFocus />
    </li>
  );
}
