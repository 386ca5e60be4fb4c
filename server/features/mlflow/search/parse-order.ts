import { invalid } from "../http/mlflow-error.ts";
import { type EntityType, readIdentifier, type SearchTerms } from "./parse-filter.ts";

export interface Order {
  type: EntityType;
  key: string;
  holds: "text" | "number";
  direction: "asc" | "desc";
}

const most = 20;

/** Reads `metrics.loss DESC` and the like. */
export function parseOrders(given: readonly string[] | undefined, terms: SearchTerms): Order[] {
  if (!given) return [];
  if (given.length > most) throw invalid(`A search can be ordered by at most ${most} values.`);
  return given.map((text) => {
    if (text.length > 1_000) throw invalid("An order can have at most 1000 characters.");
    const trimmed = text.trim();
    const direction = /\s(asc|desc)$/i.exec(trimmed)?.[1]?.toLowerCase();
    const name = direction === undefined ? trimmed : trimmed.slice(0, -direction.length).trimEnd();
    if (name === "") throw invalid(`Invalid order_by clause '${text}'.`);
    const identifier = readIdentifier(name, terms);
    if (identifier.type === "dataset") throw invalid(`Invalid order_by clause '${text}': datasets have no order.`);
    return { ...identifier, direction: direction === "desc" ? "desc" : "asc" };
  });
}
