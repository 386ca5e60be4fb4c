import type { Cipher } from "../../../platform/cipher.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Installation } from "../../../platform/installation/installation.ts";
import type { RateLimits } from "../../../platform/limits/rate-limits.ts";
import type { NotificationsFeature } from "../../notifications/notifications-service.ts";
import type { Auth } from "../auth-service.ts";
import { createFactorRemoval } from "./factor-removal-service.ts";
import { passkeyRoutes } from "./passkeys-routes.ts";
import { createPasskeys } from "./passkeys-service.ts";
import { secondFactorRoutes } from "./second-factor-routes.ts";
import { createSecondFactorRule } from "./second-factor-rule.ts";
import { createSecondFactors } from "./second-factor-service.ts";
import { createSecondSteps } from "./second-step-service.ts";

interface Dependencies {
  http: Http;
  db: Db;
  cipher: Cipher;
  auth: Auth;
  installation: Installation;
  rateLimits: RateLimits;
  notifications: Pick<NotificationsFeature, "add">;
  publicUrl: string | undefined;
  /** The providers that people can sign in with. */
  providerIds: readonly string[];
}

/** Two-step sign-in and passkeys. */
export function installSecondFactors(deps: Dependencies): void {
  const { http, db, cipher, auth, installation, rateLimits, notifications, publicUrl, providerIds } = deps;
  const rule = createSecondFactorRule(installation);
  const factors = createSecondFactors({ db, cipher, auth, rule });
  const passkeys = createPasskeys({ db, auth, rateLimits, factors, providerIds });
  const steps = createSecondSteps({ db, auth, rateLimits, factors, passkeys });
  const removal = createFactorRemoval({ db, notifications, providerIds });
  secondFactorRoutes(http, { factors, steps, removal, publicUrl });
  passkeyRoutes(http, passkeys, publicUrl);
}
