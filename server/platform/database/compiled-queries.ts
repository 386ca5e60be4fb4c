import { type Compilable, type CompiledQuery, type Expression, sql } from "kysely";

import type { Db } from "./database.ts";

/** Stands in the query for the values that each call gives. */
export type Given<Values> = { readonly [Name in keyof Values]: Expression<Values[Name]> };

/**
 * A query for one row that is built and compiled at the first call only. In the hottest reads, building the query took
 * longer than everything else.
 */
export function compileOnce<Values extends object, Row>(
  db: Db,
  build: (given: Given<Values>) => Compilable<Row>,
): (values: Values) => Promise<Row | undefined> {
  const names = new Map<unknown, keyof Values>();
  let compiled: CompiledQuery<Row> | undefined;

  function compile(): CompiledQuery<Row> {
    // A proxy has every name, which no type of its target says: `build` reads the names of Values only.
    const given = new Proxy({} as Given<Values>, {
      get(_target, name) {
        const placeholder = { name };
        names.set(placeholder, name as keyof Values);
        return sql.val(placeholder);
      },
    });
    return build(given).compile();
  }

  return async (values) => {
    compiled ??= compile();
    const parameters = compiled.parameters.map((parameter) => {
      const name = names.get(parameter);
      return name === undefined ? parameter : values[name];
    });
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters });
    return rows[0];
  };
}
