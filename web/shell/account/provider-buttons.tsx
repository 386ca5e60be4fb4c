import { useState } from "react";

import type { ProviderOffer } from "@miranda/contract/schemas/account/providers.ts";

import { goToProvider } from "../../api/account/providers.ts";
import { useSettings } from "../../api/settings.ts";
import { messageOf } from "../../message-of.ts";
import { nextPath } from "./next-address.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";

interface ProviderButtonsProps {
  /** The address to go to afterwards, as the query has it. */
  next: string | null;
  invitation?: string | undefined;
}

/** The providers that people can sign in with, below the form. Nothing where there are none. */
export function ProviderButtons({ next, invitation }: ProviderButtonsProps) {
  const providers = useSettings()?.sign_in.providers ?? [];
  const [leavingFor, setLeavingFor] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (providers.length === 0) return null;

  async function leave({ id }: ProviderOffer) {
    setLeavingFor(id);
    setProblem(null);
    try {
      const request = { purpose: "sign_in", next: nextPath(next, location.origin) } as const;
      await goToProvider(id, invitation === undefined ? request : { ...request, invitation });
    } catch (cause) {
      setProblem(messageOf(cause));
    } finally {
      setLeavingFor(null);
    }
  }

  return (
    <section aria-label="Other ways to sign in" className="mt-6 flex flex-col gap-3">
      <div className="flex items-center gap-3 text-sm text-ink-faint" aria-hidden="true">
        <span className="h-px flex-1 bg-line" />
        or
        <span className="h-px flex-1 bg-line" />
      </div>
      {providers.map((provider) => (
        <Button
          key={provider.id}
          size="lg"
          busy={leavingFor === provider.id}
          disabled={leavingFor !== null}
          onClick={() => void leave(provider)}
          className="min-w-0"
        >
          <span className="truncate">Continue with {provider.name}</span>
        </Button>
      ))}
      <FormAlert message={problem} takesFocus />
    </section>
  );
}
