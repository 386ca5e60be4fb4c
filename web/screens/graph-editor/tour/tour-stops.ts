export interface Stop {
  title: string;
  text: string;
  /** What it points at: the first of these that is on the screen. */
  targets: readonly string[];
  /** Place the text beside it, not below: what is below belongs to it. */
  isBeside?: boolean;
  /** It is on the canvas: fit the workflow first, because the log may have opened over it. */
  isOnCanvas?: boolean;
}

/** The first stop ends when the person presses Run, the others with Next. */
export const stops: readonly [Stop, ...Stop[]] = [
  {
    title: "Press Run",
    text: "This workflow learns how a basin fills in the rain. Run starts its processor and fires every node.",
    targets: ["[data-tour=run]"],
  },
  {
    title: "See what it found",
    text: "A node shows its results below it: a chart, a table, a number. Click one to see it large.",
    targets: ["[data-testid=node-output]:has(img)", "[data-testid=node-output]"],
    isBeside: true,
    isOnCanvas: true,
  },
  {
    title: "Keep the model",
    text: "The run trained a model. Models lists it, with its metrics, its files, and what it was made from.",
    targets: ["[data-testid=made-models]", "header a[href='/designer/models']", "header button[aria-label=Sections]"],
    isBeside: true,
  },
  {
    title: "Share it",
    text: "Deploy turns the workflow into an app that others use in the Explorer, by API or on a schedule.",
    targets: ["[data-tour=deploy]", "[data-tour=run]"],
  },
];

/** Where the tour is. While the workflow runs, it shows nothing. */
export type Place = { at: number } | "running" | "ended";

export interface LastRun {
  began: number;
  ended?: number | undefined;
}

/** Where the tour is after the run changed. `before`: when the last run before the tour began. */
export function placeAfterRun(place: Place, run: LastRun | undefined, isGood: boolean, before: number): Place {
  const isWaiting = place === "running" || (place !== "ended" && place.at === 0);
  if (!isWaiting || !run || run.began <= before) return place;
  if (run.ended === undefined) return "running";
  // When a run fails, its error matters more than the tour.
  return isGood ? { at: 1 } : "ended";
}

export function nextPlace(place: Place): Place {
  if (typeof place === "string") return place;
  return place.at + 1 < stops.length ? { at: place.at + 1 } : "ended";
}
