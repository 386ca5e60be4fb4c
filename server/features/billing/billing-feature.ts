import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { createBudgetNews } from "./budgets/budget-news.ts";
import { monthBudgetRoutes } from "./budgets/month-budgets-routes.ts";
import { createMonthBudgets } from "./budgets/month-budgets-service.ts";
import { createCorrections } from "./grants/corrections-service.ts";
import { grantRoutes } from "./grants/grants-routes.ts";
import { createGrants } from "./grants/grants-service.ts";
import { installationSpendingRoutes } from "./installation/installation-spending-routes.ts";
import { createInstallationSpending } from "./installation/installation-spending-service.ts";
import { priceRoutes } from "./prices/prices-routes.ts";
import { createPrices } from "./prices/prices-service.ts";
import type { HourPrices } from "./prices/sample-cost.ts";
import { purseRoutes } from "./purses/purses-routes.ts";
import { createPurses } from "./purses/purses-service.ts";
import { spendingRoutes } from "./spending/spending-routes.ts";
import { createSpending } from "./spending/spending-service.ts";
import { createZones } from "./spending/zones.ts";
import { createZoneQueries } from "./spending/zones-queries.ts";

interface Dependencies {
  http: Http;
  db: Db;
  projects: Projects;
  graphs: Graphs;
  notifications: NotificationsFeature;
  /** The prices of the settings. */
  prices: HourPrices;
  sendsMails: boolean;
  /** The currency sign. */
  currency: string;
  report: (error: unknown) => void;
}

/** What people see and decide about money. Sessions are charged elsewhere (`billing-service.ts`). */
export function installBilling(deps: Dependencies) {
  const { http, db, projects, graphs, notifications, prices, sendsMails, currency, report } = deps;
  const zones = createZones(createZoneQueries(db));
  const news = createBudgetNews({ db, notifications, currency, report });
  const monthBudgets = createMonthBudgets({ db, projects, currency, checkZone: zones.check, onWarned: news.wake });
  const purses = createPurses({ db, projects, graphs });
  spendingRoutes(http, createSpending({ db, projects, graphs, budgets: monthBudgets, zones, currency }));
  installationSpendingRoutes(http, createInstallationSpending({ db, zones, currency }));
  monthBudgetRoutes(http, monthBudgets);
  grantRoutes(http, createGrants({ db, sendsMails }), createCorrections({ db }));
  purseRoutes(http, purses);
  priceRoutes(http, createPrices({ db, settings: prices }));
  return { monthBudgets, purses, news };
}
