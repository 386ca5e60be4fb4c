import { classes } from "../classes.ts";

/** Holds the place of something that is on its way. Shows late, so that a quick answer causes no flicker. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={classes("animate-late rounded-lg bg-line/60", className)} />;
}
