import { inSlices } from "../time-slicing.ts";

/** A list that comes in pieces, as the parts of one JSON list. Other requests are served between them. */
export async function* logParts(log: AsyncIterable<object[]>): AsyncGenerator<string> {
  let comma = "";
  yield "[";
  for await (const entries of log)
    for await (const texts of inSlices(entries, (entry) => JSON.stringify(entry))) {
      if (texts.length === 0) continue;
      yield comma + texts.join(",");
      comma = ",";
    }
  yield "]";
}
