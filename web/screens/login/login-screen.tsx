import { Suspense, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";

import { SecondFactorMethod } from "@miranda/contract/schemas/account/sign-in.ts";

import { useAccountCalls } from "../../api/account/accounts.ts";
import { passkeyObstacle } from "../../api/account/passkey-obstacle.ts";
import { useSettings } from "../../api/settings.ts";
import { lazyPart } from "../../load-part.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { ProviderButtons } from "../../shell/account/provider-buttons.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { LoadingArea } from "../../ui/layout/spinner.tsx";

const SecondStep = lazyPart(() => import("./second-step.tsx").then((module) => ({ default: module.SecondStep })));
const PasskeySignIn = lazyPart(() =>
  import("./passkey-sign-in.tsx").then((module) => ({ default: module.PasskeySignIn })),
);

const ProviderProblem = lazyPart(() =>
  import("../../shell/account/provider-problem.tsx").then((module) => ({ default: module.ProviderProblem })),
);

export function LoginScreen() {
  const { search } = useLocation();
  const query = new URLSearchParams(search);
  const problem = query.get("problem");
  const settings = useSettings();
  const sendsMails = settings?.sign_in.mail === true;
  const navigate = useNavigate();
  // A provider has sent somebody here for the second step.
  const [methods, setMethods] = useState(() => methodsIn(search));
  const [ended, setEnded] = useState<string | null>(null);
  const { logIn } = useAccountCalls();
  // The guard notices the session and redirects.
  const form = useForm(async (fields) => {
    setEnded(null);
    setMethods(await logIn({ username: fieldText(fields, "username"), password: fieldText(fields, "password") }));
  });

  function restart(words: string | null = null) {
    setMethods(undefined);
    setEnded(words);
    query.delete("second_step");
    void navigate({ search: query.toString() }, { replace: true });
  }

  if (methods)
    return (
      <Suspense fallback={<LoadingArea label="Loading" />}>
        <SecondStep methods={methods} onRestart={restart} />
      </Suspense>
    );

  return (
    <Entrance
      title="Sign in"
      subtitle={
        settings?.registration === "closed" ? (
          "Registration is closed."
        ) : (
          <>
            New here?{" "}
            <Link to={{ pathname: "/register", search }} className="font-medium text-accent-text hover:underline">
              Create an account
            </Link>
          </>
        )
      }
    >
      {new URLSearchParams(search).get("account") === "deleted" ? (
        <output className="mb-5 block rounded-md border border-line bg-sunken px-3 py-2 text-sm">
          Your account was deleted.
        </output>
      ) : null}
      {query.get("password") === "set" ? (
        <output className="mb-5 block rounded-md border border-line bg-sunken px-3 py-2 text-sm">
          Your password is set. Sign in with it.
        </output>
      ) : null}
      {problem ? (
        <div className="mb-5">
          <Suspense fallback={null}>
            <ProviderProblem problem={problem} provider={query.get("provider")} />
          </Suspense>
        </div>
      ) : null}
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Username or e-mail"
          name="username"
          autoComplete="username webauthn"
          autoCapitalize="none"
          spellCheck={false}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this form
          autoFocus
        />
        <PasswordField label="Password" name="password" autoComplete="current-password" />
        {sendsMails ? (
          <Link
            to={{ pathname: "/login/forgot", search }}
            className="self-start text-sm font-medium text-accent-text hover:underline"
          >
            Forgot your password?
          </Link>
        ) : null}
        <FormAlert message={form.error ?? ended} takesFocus />
        <Button type="submit" variant="primary" size="lg" busy={form.busy}>
          Sign in
        </Button>
      </form>
      {/* As high as its button: what is below must not move away from a click. */}
      <Suspense fallback={passkeyObstacle() === undefined ? <div className="mt-4 h-10" /> : null}>
        <PasskeySignIn onSecondStep={setMethods} />
      </Suspense>
      <ProviderButtons next={query.get("next")} />
    </Entrance>
  );
}

function methodsIn(search: string): SecondFactorMethod[] | undefined {
  const words = new URLSearchParams(search).get("second_step")?.split(",");
  return words && SecondFactorMethod.options.filter((method) => words.includes(method));
}
