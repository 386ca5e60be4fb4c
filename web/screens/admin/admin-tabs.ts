import type { ComponentType } from "react";

import { lazyPart } from "../../load-part.ts";

interface AdminTab {
  /** The last part of its address: /account/admin/{path}. */
  path: string;
  label: string;
  Part: ComponentType;
}

/** The pages of the administration, in the order of their tabs. */
export const adminTabs: readonly AdminTab[] = [
  {
    path: "people",
    label: "People",
    Part: lazyPart(() => import("./people/people-tab.tsx").then((m) => ({ default: m.PeopleTab }))),
  },
  {
    path: "sessions",
    label: "Sessions",
    Part: lazyPart(() => import("./sessions/sessions-tab.tsx").then((m) => ({ default: m.SessionsTab }))),
  },
  {
    path: "machines",
    label: "Machines",
    Part: lazyPart(() => import("./machines/machines-tab.tsx").then((m) => ({ default: m.MachinesTab }))),
  },
  {
    path: "storage",
    label: "Storage",
    Part: lazyPart(() => import("./storage/storage-tab.tsx").then((m) => ({ default: m.StorageTab }))),
  },
  {
    path: "prices",
    label: "Prices",
    Part: lazyPart(() => import("./prices/prices-tab.tsx").then((m) => ({ default: m.PricesTab }))),
  },
  {
    path: "spending",
    label: "Spending",
    Part: lazyPart(() => import("./spending/spending-tab.tsx").then((m) => ({ default: m.SpendingTab }))),
  },
  {
    path: "settings",
    label: "Settings",
    Part: lazyPart(() => import("./settings/settings-tab.tsx").then((m) => ({ default: m.SettingsTab }))),
  },
  {
    path: "audit",
    label: "Audit log",
    Part: lazyPart(() => import("./audit/audit-tab.tsx").then((m) => ({ default: m.AuditTab }))),
  },
  {
    path: "health",
    label: "Health",
    Part: lazyPart(() => import("./health/health-tab.tsx").then((m) => ({ default: m.HealthTab }))),
  },
  {
    path: "invitations",
    label: "Invitations",
    Part: lazyPart(() => import("./invitations/invitations-tab.tsx").then((m) => ({ default: m.InvitationsTab }))),
  },
];
