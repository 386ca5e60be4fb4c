import { shorten } from "../../../ui/text/shorten.ts";
import type { Anchor } from "./edge-path.ts";

const longest = 48;
/** The width of an average letter of a label, and the space between a label and the cards. */
const letter = 6;
const margin = 6;
/** Fewer letters than this say nothing. */
const fewest = 3;

/**
 * The part of a label that fits between the cards of its ends. Cards lie above edges, so they would cover the rest.
 * Empty when there is no room.
 */
export function fittingLabel(text: string, from: Anchor, to: Anchor, isBent: boolean): string {
  const isAcross = from.side === "right" && to.side === "left" && to.x >= from.x && !isBent;
  const room = isAcross ? Math.floor((to.x - from.x - 2 * margin) / letter) : longest;
  const most = Math.min(longest, room);
  if (most < fewest + 1) return text.length <= most ? text : "";
  return shorten(text, { whole: most, cut: most - 1, ending: "…" });
}
