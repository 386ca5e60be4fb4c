import { type RefObject, useEffect, useMemo, useRef } from "react";
import { useLocation, useParams } from "react-router";

import type { AppDoor } from "../../../api/apps/app-door.ts";
import { AppFrame } from "../app/app-frame.tsx";

/** An app in a frame of another page: by its name for people who are signed in, or by its link for everybody. */
export function EmbedScreen() {
  const { name = "", link } = useParams();
  const { search } = useLocation();
  const content = useRef<HTMLDivElement>(null);
  useReportedHeight(content);
  const door = useMemo((): AppDoor => (link === undefined ? { name, channel: "production" } : { link }), [name, link]);
  const addressOf = useMemo(() => {
    const place = link === undefined ? encodeURIComponent(name) : `links/${encodeURIComponent(link)}`;
    // The theme is in the query.
    return (part: string) => `/embed/${place}${part === "" ? "" : `/${part}`}${search}`;
  }, [name, link, search]);
  return (
    <div ref={content}>
      <AppFrame door={door} addressOf={addressOf} isMember={false} />
    </div>
  );
}

/** Tells the page around the frame how high the content is. A height is no secret, whoever hears it. */
function useReportedHeight(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = content;
    if (!current || parent === window) return;
    const observer = new ResizeObserver(() => {
      const height = Math.ceil(current.getBoundingClientRect().height);
      parent.postMessage({ type: "miranda:height", height }, "*");
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [content]);
}
