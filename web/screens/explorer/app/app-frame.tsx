import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Outlet } from "react-router";

import type { AppDoor } from "../../../api/apps/app-door.ts";
import { appQuery } from "../../../api/apps/apps.ts";
import { useTopBar } from "../../../shell/top-bar-context.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { AppHeader } from "./app-header.tsx";
import { AppMissing } from "./app-missing.tsx";
import type { AppPage } from "./app-page.ts";

interface AppFrameProps {
  door: AppDoor;
  addressOf: AppPage["addressOf"];
  isMember: boolean;
}

/** Loads an app, and shows one of its pages below its header. */
export function AppFrame({ door, addressOf, isMember }: AppFrameProps) {
  const { data: app, error, isFetching, refetch } = useQuery(appQuery(door));
  const page = useMemo(() => app && { app, door, addressOf, isMember }, [app, door, addressOf, isMember]);
  useTopBar({ back: isMember ? "/explorer/" : undefined, graph: app?.title });
  if (!page) {
    if (error) return <AppMissing error={error} busy={isFetching} onRetry={() => void refetch()} isMember={isMember} />;
    return <LoadingArea label="Loading the app" />;
  }
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-6 px-4 py-5 sm:px-6 sm:py-8">
      <AppHeader app={page.app} addressOf={isMember ? addressOf : undefined} />
      <Outlet context={page satisfies AppPage} />
    </div>
  );
}
