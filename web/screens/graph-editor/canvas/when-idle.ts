/** The longest time between the clicks of a double click. */
export const secondClick = 300;

let waiting: AbortController | undefined;

/**
 * Runs work after a click unless the person does something else first: a second click or a drag must find everything in
 * its place.
 */
export function whenIdle(work: () => void): void {
  waiting?.abort();
  const own = new AbortController();
  waiting = own;
  const timer = setTimeout(() => {
    own.abort();
    work();
  }, secondClick);
  const stop = () => {
    clearTimeout(timer);
    own.abort();
  };
  for (const event of ["pointerdown", "keydown", "wheel"])
    addEventListener(event, stop, { capture: true, signal: own.signal });
}
