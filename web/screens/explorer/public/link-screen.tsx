import { useMemo } from "react";
import { useParams } from "react-router";

import type { AppDoor } from "../../../api/apps/app-door.ts";
import { AppFrame } from "../app/app-frame.tsx";

/** An app for everybody who has its link, without an account. */
export function LinkScreen() {
  const { link = "" } = useParams();
  const door = useMemo((): AppDoor => ({ link }), [link]);
  const addressOf = useMemo(
    () => (part: string) => `/explorer/links/${encodeURIComponent(link)}${part === "" ? "" : `/${part}`}`,
    [link],
  );
  return <AppFrame door={door} addressOf={addressOf} isMember={false} />;
}
