import { type RefObject, useLayoutEffect } from "react";

/** What had the focus when a panel opened gets it back when the panel goes, unless somebody is elsewhere by then. */
export function useReturnedFocus(panel: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const [element, opener] = [panel.current, document.activeElement];
    return () => {
      const at = document.activeElement;
      const isHere = at === null || at === document.body || element?.contains(at) === true;
      if (isHere && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, [panel]);
}
