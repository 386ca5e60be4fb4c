import { type RefObject, useEffect, useRef } from "react";
import { useLocation } from "react-router";

/** For a row of links that scrolls sideways: on a phone, the link of the open page may be beyond the edge. */
export function useOpenTabInView(): RefObject<HTMLElement | null> {
  const { pathname } = useLocation();
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = [...(tabs.current?.querySelectorAll("[aria-current=page]") ?? [])];
    const open = current.find((link) => pathname.startsWith(link.getAttribute("href") ?? pathname)) ?? current[0];
    open?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [pathname]);
  return tabs;
}
