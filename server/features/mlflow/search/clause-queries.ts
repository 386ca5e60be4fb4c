import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Clause } from "./parse-filter.ts";

/** A comparison of a column or value with what a clause says. */
export function comparison(column: RawBuilder<unknown>, clause: Clause): RawBuilder<SqlBool> {
  switch (clause.comparator) {
    case "IS NULL":
      return sql<SqlBool>`${column} is null`;
    case "IS NOT NULL":
      return sql<SqlBool>`${column} is not null`;
    case "IN":
      return sql<SqlBool>`${column} = any(${clause.value}::text[])`;
    case "NOT IN":
      return sql<SqlBool>`${column} <> all(${clause.value}::text[])`;
    case "LIKE":
      return sql<SqlBool>`${column} like ${likePattern(clause.value)}`;
    case "ILIKE":
      return sql<SqlBool>`${column} ilike ${likePattern(clause.value)}`;
    case "=":
    case "!=":
    case ">":
    case ">=":
    case "<":
    case "<=":
      return sql<SqlBool>`${column} ${sql.raw(clause.comparator)} ${clause.value}${castOf(clause.value)}`;
  }
}

function castOf(value: string | number): RawBuilder<unknown> {
  return typeof value === "number" ? sql`::float8` : sql`::text`;
}

/** A backslash stands for itself, as in MLflow. Many wildcards in a row are one: matching them would take long. */
function likePattern(pattern: string): string {
  return pattern.replaceAll("\\", "\\\\").replaceAll(/%+/g, "%");
}
