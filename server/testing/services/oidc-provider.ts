import { once } from "node:events";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

import type { ProviderSettings } from "../../platform/settings/provider-settings.ts";
import { TestClient } from "../test-client.ts";

export interface TestProvider {
  settings: ProviderSettings;
  /** What it says about whom, by the name they sign in with. */
  people: Map<string, Record<string, unknown>>;
  /** Signs in at its page, as a browser would, and returns the path that it sends the browser back to. */
  signIn(address: string, login: string): Promise<string>;
  /** As if the code had expired. */
  forgetCode(code: string): Promise<void>;
  close(): Promise<void>;
}

const scope = "openid profile email groups";

/** A real OpenID Connect provider, with its own sign-in page where every password is right. */
export async function startProvider(
  publicUrl: string,
  given: Partial<ProviderSettings> = {},
  port = 0,
): Promise<TestProvider> {
  const people: TestProvider["people"] = new Map();
  const server = createServer((request, response) => void callback(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const settings: ProviderSettings = {
    ...{ id: "acme", name: "Acme", issuer, clientId: "miranda", clientSecret: "the secret of the client" },
    ...{ clientAuth: undefined, scopes: scope.split(" "), groupsClaim: "groups", adminGroups: [] },
    ...{ registration: true, signOut: true },
    ...given,
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: settings.clientId,
        client_secret: settings.clientSecret ?? "",
        redirect_uris: [`${publicUrl}/api/v3/auth/providers/${settings.id}/callback`],
        post_logout_redirect_uris: [`${publicUrl}/login`],
      },
    ],
    scopes: scope.split(" "),
    claims: {
      email: ["email", "email_verified"],
      profile: ["name", "given_name", "family_name", "preferred_username"],
      groups: ["groups"],
    },
    cookies: { keys: ["a key for cookies of tests"] },
    ttl: { Session: 3_600, Grant: 3_600, Interaction: 600, AccessToken: 600, IdToken: 600 },
    async findAccount(_context, sub) {
      return { accountId: sub, claims: async () => ({ ...people.get(sub), sub }) };
    },
    // Nobody is asked for consent: the provider and Miranda belong to one organisation.
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({
        ...(oidc.client && { clientId: oidc.client.clientId }),
        ...(oidc.session?.accountId && { accountId: oidc.session.accountId }),
      });
      grant.addOIDCScope(scope);
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();

  return {
    settings,
    people,
    async signIn(begin, login) {
      const browser = new TestClient(issuer);
      const follow = (to: string) => browser.get(to.replace(issuer, ""));
      let answer = await follow(begin);
      for (;;) {
        const to = answer.headers.get("location");
        if (!to) throw new Error(`The provider did not send the browser on: ${answer.status} ${answer.text}`);
        if (to.startsWith(publicUrl)) return to.slice(publicUrl.length);
        const isForm = to.includes("/interaction/");
        answer = isForm
          ? await browser.post(to.replace(issuer, ""), { prompt: "login", login, password: "any" })
          : await follow(to);
      }
    },
    async forgetCode(code) {
      await (await provider.AuthorizationCode.find(code))?.destroy();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
