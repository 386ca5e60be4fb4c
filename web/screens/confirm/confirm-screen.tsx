import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "react-router";

import { patchAccount, useSession } from "../../api/account/session.ts";
import { confirmEmail } from "../../api/account/email.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";

/** The link of a mail: confirms an e-mail address, also in a browser where nobody is signed in. */
export function ConfirmScreen() {
  const { token = "" } = useParams();
  const client = useQueryClient();
  const { account } = useSession();
  const { data, error } = useQuery({
    queryKey: ["confirm-email", token],
    queryFn: async () => {
      await confirmEmail(token);
      patchAccount(client, { email_unconfirmed: false });
      return true;
    },
    // Once: the link works a single time.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const to = account ? { href: "/designer", words: "Go to your projects" } : { href: "/login", words: "Sign in" };
  if (!data && !error) return <LoadingArea label="Confirming your e-mail address" />;
  return (
    <Entrance
      title={error ? "This link does not work" : "Thank you"}
      subtitle={error ? "Your e-mail address was not confirmed." : "Your e-mail address is confirmed."}
    >
      <FormAlert message={error?.message} />
      <a href={to.href} className={buttonClasses({ variant: error ? "secondary" : "primary", size: "lg" }, "mt-4")}>
        {to.words}
      </a>
    </Entrance>
  );
}
