import pg from "pg";

// So few that the plans of all connections together stay small, and none for what is asked once.
const mostNames = 100;
const worthwhile = 20;
const longest = 8_000;

let seen = new Map<string, number>();
let names = new Map<string, string>();
let generation = 0;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostNames || text.length > longest) return known;
  const times = (seen.get(text) ?? 0) + 1;
  // Statements of every length of list would fill it.
  if (seen.size > mostNames * 10) seen = new Map();
  seen.set(text, times);
  if (times >= worthwhile) names.set(text, `m${generation}_${names.size}`);
  return names.get(text);
}

function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "0A000" && error.message.startsWith("cached plan");
}

type Ask = (config: string | pg.QueryConfig, values?: unknown[], callback?: unknown) => unknown;

/** A connection on which the database plans once what it is asked again and again. */
export class PreparingClient extends pg.Client {
  // The base class has a dozen signatures; what comes in here goes on unchanged, but for a name.
  override query(...asked: unknown[]): never {
    const ask = super.query.bind(this) as Ask;
    const [text, values, callback] = asked as Parameters<Ask>;
    const name = typeof text === "string" && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    if (name === undefined) return ask(text, values, callback) as never;
    const answer = ask({ name, text: text as string, values: values as unknown[] }, callback as never);
    if (callback !== undefined) return answer as never;
    const isAlone = this.getTransactionStatus() === "I";
    return (answer as Promise<unknown>).catch((error: unknown) => {
      if (!isOutdated(error)) throw error;
      // A newer server has changed a table: nobody uses the old plans any more.
      generation += 1;
      seen = new Map();
      names = new Map();
      if (isAlone) return ask(text, values);
      throw error;
    }) as never;
  }
}
