import { errors } from "@miranda/contract/errors.ts";

import { useSettings } from "../../api/settings.ts";
import { FormAlert } from "../../ui/form/field.tsx";

/** What went wrong at the provider. The address has only a code, so no link can show words of its own. */
export function ProviderProblem({ problem, provider }: { problem: string; provider: string | null }) {
  const known = useSettings()?.sign_in.providers.find(({ id }) => id === provider);
  const words = Object.entries(errors).find(([code]) => code === problem)?.[1];
  if (words === undefined) return null;
  return <FormAlert message={known ? `${known.name}: ${words}` : words} />;
}
