import type { Cipher } from "../../platform/cipher.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Installation } from "../../platform/installation/installation.ts";
import type { RateLimits } from "../../platform/limits/rate-limits.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import { authRoutes } from "./auth-routes.ts";
import type { Auth } from "./auth-service.ts";
import { emailRoutes } from "./email/email-routes.ts";
import type { Emails } from "./email/email-service.ts";
import { passwordLinkRoutes } from "./password-links/password-links-routes.ts";
import type { PasswordLinks } from "./password-links/password-links-service.ts";
import { installSecondFactors } from "./second-factor/second-factor-feature.ts";
import { createSignOutAddress, providerRoutes } from "./providers/providers-routes.ts";
import { createProviders } from "./providers/providers-service.ts";

interface Dependencies {
  http: Http;
  db: Db;
  cipher: Cipher;
  rateLimits: RateLimits;
  auth: Auth;
  emails: Emails;
  passwordLinks: PasswordLinks;
  installation: Installation;
  notifications: Pick<NotificationsFeature, "add">;
  config: Pick<Config, "publicUrl" | "providers">;
}

/** The routes of passwords, mails, providers, second factors and passkeys. */
export function installSignIn({ http, auth, emails, config, passwordLinks, notifications, ...deps }: Dependencies) {
  const { publicUrl } = config;
  const linkInside = async (trx: Db, accountId: string) => (await passwordLinks.create(trx, accountId, null)).address;
  const passwordLink = (accountId: string) => deps.db.transaction().execute((trx) => linkInside(trx, accountId));
  const providers = createProviders({
    ...{ ...deps, auth, passwordLink, publicUrl, providers: config.providers, askToConfirm: emails.askToConfirm },
    warn: (words, provider) => http.log.warn({ provider }, `the provider's sign-in failed: ${words}`),
  });
  authRoutes(http, auth, publicUrl, createSignOutAddress(providers, publicUrl));
  providerRoutes(http, providers, publicUrl);
  passwordLinkRoutes(http, passwordLinks);
  emailRoutes(http, { emails, passwordLink: linkInside });
  const providerIds = config.providers.map(({ id }) => id);
  installSecondFactors({ ...deps, http, auth, notifications, publicUrl, providerIds });
  return {
    /** What the sign-in page offers. */
    offered: () => ({ providers: providers.offers(), mail: emails.offered }),

    async *sweep(): AsyncGenerator<void> {
      yield* providers.sweep();
      yield* emails.sweep();
    },
  };
}
