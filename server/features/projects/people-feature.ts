import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Installation } from "../../platform/installation/installation.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import type { RateLimits } from "../../platform/limits/rate-limits.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { Auth } from "../auth/auth-service.ts";
import type { Deployments } from "../deployments/deployments-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import { invitationRoutes } from "./invitations/invitations-routes.ts";
import { createInvitations } from "./invitations/invitations-service.ts";
import { memberRoutes } from "./members/members-routes.ts";
import { createMembers } from "./members/members-service.ts";
import { createMembershipNotifications } from "./members/membership-notifications.ts";
import { projectRoutes } from "./projects-routes.ts";
import type { Projects } from "./projects-service.ts";
import { teamRoutes } from "./teams/teams-routes.ts";
import { createTeams } from "./teams/teams-service.ts";
import { transferRoutes } from "./transfers/transfers-routes.ts";
import { createTransfers } from "./transfers/transfers-service.ts";

interface Dependencies {
  http: Http;
  db: Db;
  auth: Pick<Auth, "getAccountByLogin" | "describe" | "nameOf" | "onInvited">;
  projects: Projects;
  deployments: Pick<Deployments, "changed">;
  notifications: Pick<NotificationsFeature, "add">;
  rateLimits: RateLimits;
  mail: Pick<Mail, "configured" | "linkTo" | "allow" | "send" | "wake">;
  installation: Pick<Installation, "readNow">;
  quotas: Pick<Quotas, "projectsPerAccount" | "membershipChangesPerHour">;
  report(error: unknown): void;
}

/** Projects, and how people get into them: as members, through teams, by invitations, and as new owners. */
export function installPeople({ http, db, auth, projects, deployments, notifications, ...rest }: Dependencies) {
  const { rateLimits, mail, quotas, installation, report } = rest;
  const { projectsPerAccount, membershipChangesPerHour: perHour } = quotas;
  const { changeMembership, add } = createMembershipNotifications({ db, notifications, rateLimits, perHour, report });
  projectRoutes(http, projects);
  memberRoutes(http, createMembers({ db, auth, projects, changeMembership }));
  teamRoutes(http, createTeams({ db, auth, projects, changeMembership }));
  transferRoutes(http, createTransfers({ db, auth, projects, deployments, projectsPerAccount, changeMembership }));
  // While registration is closed, only administrators let new people in.
  const mayRegister = async (on: Db, { inviter_is_admin: byAdmin }: { inviter_is_admin: boolean }) =>
    byAdmin || (await installation.readNow(on)).registration !== "closed";
  const invitations = createInvitations({ db, projects, rateLimits, mail, changeMembership, add, mayRegister });
  auth.onInvited(invitations);
  invitationRoutes(http, invitations, auth);
  return { sweep: invitations.sweep };
}
