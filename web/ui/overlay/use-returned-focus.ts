import { type RefObject, useLayoutEffect } from "react";

/** Returns the focus to where it was before a panel opened, unless it has moved elsewhere by then. */
export function useReturnedFocus(panel: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const [element, opener] = [panel.current, document.activeElement];
    const giveBack = (): void => {
      // In development React ends every effect once for trial: the panel is still open then.
      if (element?.isConnected) return;
      const at = document.activeElement;
      const isUnmoved = at === null || at === document.body;
      if (isUnmoved && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
    return () => queueMicrotask(giveBack);
  }, [panel]);
}
