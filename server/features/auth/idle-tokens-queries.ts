import { accessToken as limits } from "@miranda/contract/limits.ts";
import { sql } from "kysely";

/** A token last used before this is expired. */
export const idleSince = sql<Date>`now() - make_interval(days => ${sql.lit(limits.idleDays)})`;
