import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { deploymentKeys, refetchDeployment } from "../../api/deployments/deployments.ts";
import { useConnected, useRealtime } from "../../providers/realtime-provider.tsx";

/** Many calls may change at once: everything is read again once for all of them. */
const pause = 500;

/** Receives the events of a deployment, and reads again what they are about. */
export function useDeploymentRoom({ id, graph }: Deployment): void {
  const realtime = useRealtime();
  const isConnected = useConnected();
  const client = useQueryClient();
  const graphId = graph.id;

  useEffect(() => {
    if (!isConnected) return;
    realtime.send("watch_project", id);
    return () => realtime.send("leave_project", id);
  }, [realtime, isConnected, id]);

  useEffect(() => {
    const stale = new Set<"one" | "calls" | "sessions">();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      timer = undefined;
      for (const part of stale) void client.invalidateQueries({ queryKey: deploymentKeys[part](graphId) });
      stale.clear();
    };
    const mark = (...parts: ("one" | "calls" | "sessions")[]) => {
      for (const part of parts) stale.add(part);
      timer ??= setTimeout(readAgain, pause);
    };
    const stops = [
      realtime.on("update[DEPLOYMENT]", ({ deployment_id }) => {
        if (deployment_id === id) refetchDeployment(client, graphId);
      }),
      realtime.on("update[CALL]", ({ deployment_id }) => {
        if (deployment_id === id) mark("one", "calls");
      }),
      realtime.on("new[DOCKER_JOB]", () => mark("sessions")),
      realtime.on("update[DOCKER_JOB]", () => mark("sessions")),
      realtime.on("ready", () => refetchDeployment(client, graphId)),
    ];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(timer);
    };
  }, [realtime, client, id, graphId]);
}
