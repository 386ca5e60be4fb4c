import { classes } from "../classes.ts";

/** Reserves space for something that loads. Appears late, so that a quick answer causes no flicker. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={classes("animate-late rounded-lg bg-line/60", className)} />;
}
