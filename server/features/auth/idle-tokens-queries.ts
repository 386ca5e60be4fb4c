import { accessToken as limits } from "@miranda/contract/limits.ts";
import { sql } from "kysely";

/** A token that was last used before this is revoked. */
export const idleSince = sql<Date>`now() - make_interval(days => ${sql.lit(limits.idleDays)})`;
