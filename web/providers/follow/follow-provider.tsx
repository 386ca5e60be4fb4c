import { createContext, type ReactNode, Suspense, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { useLocation, useNavigate, useParams } from "react-router";

import { useAccount } from "../../api/account/session.ts";
import { graphAddress } from "../../api/graphs.ts";
import { lazyPart } from "../../load-part.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { useOpenGraph } from "../object-provider.tsx";
import { useRealtime } from "../realtime-provider.tsx";
import { createFollow, type Follow, type FollowedScreen } from "./follow.ts";

const FollowFrame = lazyPart(() => import("./follow-frame.tsx").then((m) => ({ default: m.FollowFrame })));

const FollowContext = createContext<Follow | undefined>(undefined);

/** Lets people follow each other while a workflow is open, from screen to screen. */
export function FollowProvider({ children }: { children: ReactNode }) {
  const realtime = useRealtime();
  const { username } = useAccount();
  const { members } = useOpenGraph();
  const [follow] = useState(() => createFollow({ realtime, me: username, tell: (text) => toast.message(text) }));
  const following = useSyncExternalStore(follow.watch, () => follow.get().following);
  useEffect(() => follow.listen(), [follow]);
  useEffect(() => follow.present(new Set(members.map((member) => member.username))), [follow, members]);
  useFollowedAddress(follow);
  return (
    <FollowContext value={follow}>
      {children}
      {following === null ? null : (
        <Suspense fallback={null}>
          <FollowFrame username={following} onStop={follow.stop} />
        </Suspense>
      )}
    </FollowContext>
  );
}

/** Goes to the screen that the followed person is on. */
function useFollowedAddress(follow: Follow): void {
  const { projectId = "", graphId = "" } = useParams();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const view = useSyncExternalStore(follow.watch, () => follow.get().view);
  const screen = view?.screen;
  const node = view?.node ?? null;
  useEffect(() => {
    if (screen === undefined || screen === "other") return;
    const graph = graphAddress(projectId, graphId);
    const wanted = screen === "canvas" ? graph : node === null ? `${graph}/code` : `${graph}/code/${node}`;
    if (pathname.replace(/\/$/, "") !== wanted) void navigate(wanted);
    // Only when they go somewhere: this person may then go elsewhere, and stops following.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [screen, node]);
}

export function useFollow(): Follow | undefined {
  return useContext(FollowContext);
}

/** Takes part with a screen, while it is shown. The screen must stay the same object. */
export function useFollowedScreen(screen: FollowedScreen | undefined): void {
  const follow = useFollow();
  useEffect(() => (screen ? follow?.attachScreen(screen) : undefined), [follow, screen]);
}

const nobody = () => () => undefined;

/** Whom this person follows. */
export function useFollowing(): string | null {
  const follow = useFollow();
  return useSyncExternalStore(follow?.watch ?? nobody, () => follow?.get().following ?? null);
}
