import { accessToken as limits } from "@miranda/contract/limits.ts";
import { sql, type SqlBool } from "kysely";

/** A token last used before this is expired. */
const idleSince = sql<Date>`now() - make_interval(days => ${sql.lit(limits.idleDays)})`;

/** A token that is neither idle nor past its end. */
export const isLive = sql<SqlBool>`(access_tokens.last_used_at > ${idleSince}
  and coalesce(access_tokens.expires_at > now(), true))`;
