/** The encodings we can send, the best first. */
const encodings = ["zstd", "br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

/** The encoding of ours that an Accept-Encoding header likes best. Undefined when it takes none, or prefers none. */
export function chooseEncoding(header: string | undefined): Encoding | undefined {
  if (!header) return undefined;
  const weights = new Map(header.split(",").map(weighed));
  const rest = weights.get("*") ?? 0;
  const plain = weights.get("identity") ?? 0;
  let [best, most]: [Encoding | undefined, number] = [undefined, 0];
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? rest;
    if (weight > most && weight >= plain) [best, most] = [encoding, weight];
  }
  return best;
}

function weighed(part: string): [name: string, weight: number] {
  const [name = "", ...settings] = part.split(";").map((word) => word.trim().toLowerCase());
  const weight = settings.find((setting) => setting.startsWith("q="))?.slice(2);
  // A weight that is no number is the client's mistake: do not send what it may not be able to read.
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}
