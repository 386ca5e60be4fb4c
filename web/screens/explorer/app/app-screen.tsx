import { useMemo } from "react";
import { useParams, useSearchParams } from "react-router";

import type { AppDoor } from "../../../api/apps/app-door.ts";
import { appAddress } from "../../../api/apps/apps.ts";
import { AppFrame } from "./app-frame.tsx";

/** An app for people who are signed in. With `?channel=staging`, those who may change it try its next release. */
export function AppScreen() {
  const { name = "" } = useParams();
  const [parameters] = useSearchParams();
  const channel = parameters.get("channel") === "staging" ? "staging" : "production";
  const door = useMemo((): AppDoor => ({ name, channel }), [name, channel]);
  const addressOf = useMemo(
    () => (part: string) => appAddress(name, part) + (channel === "staging" ? "?channel=staging" : ""),
    [name, channel],
  );
  return <AppFrame door={door} addressOf={addressOf} isMember />;
}
