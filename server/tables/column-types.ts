import type { ColumnType } from "kysely";

export type Timestamp = ColumnType<Date, Date | undefined, Date>;
export type OptionalTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;
