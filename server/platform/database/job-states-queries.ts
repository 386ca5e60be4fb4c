import { endedStates } from "@miranda/contract/processor.ts";
import { sql, type SqlBool } from "kysely";

const ended = sql.join(endedStates.map((state) => sql.lit(state)));

/** Whether a job is alive, in SQL. `column` is the state of the job. The twin of `isAlive` in contract/processor.ts. */
export const isAliveSql = (column = "state") => sql<SqlBool>`${sql.ref(column)} not in (${ended})`;

/** Whether a job has ended. As a value that is sent, the states would keep PostgreSQL from the index of ended jobs. */
export const hasEndedSql = sql<SqlBool>`state in (${ended})`;

/** Whether a job waits for a run. */
export const isReadySql = sql<SqlBool>`state = 'READY'`;
