/** A metric or a parameter that has a column. */
export interface ValueColumn {
  kind: "metric" | "param";
  name: string;
}
