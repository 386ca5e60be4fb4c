import anchors from "../../docs/handbook/sdk-names.json";

const anchorOf = new Map(Object.entries(anchors));

/** Where the handbook explains a name of the SDK; for any other word, how to write a node. */
export function helpAddress(word: string): string {
  const anchor = anchorOf.get(word);
  return anchor === undefined ? "/docs/writing-nodes" : `/docs/sdk#${anchor}`;
}
