import { useOutletContext } from "react-router";

import type { App } from "@miranda/contract/schemas/deployments/deployments.ts";

import type { AppDoor } from "../../../api/apps/app-door.ts";

/** What the pages of one app share. */
export interface AppPage {
  app: App;
  door: AppDoor;
  /** The address of a part of the app: its form (""), a call, its history. */
  addressOf: (part: string) => string;
  /** Whether somebody is signed in and came by the app's own address. */
  isMember: boolean;
}

export function useAppPage(): AppPage {
  return useOutletContext<AppPage>();
}
