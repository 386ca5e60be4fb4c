/** How long the second click of two may take. */
export const secondClick = 300;

let waiting: AbortController | undefined;

/** After a click, when nothing else is done by hand: whoever clicks again or begins to drag finds everything where it was. */
export function onceIdle(work: () => void): void {
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
  for (const hand of ["pointerdown", "keydown", "wheel"])
    addEventListener(hand, stop, { capture: true, signal: own.signal });
}
