import type Docker from "dockerode";
import { z } from "zod";

import { labels } from "./container.ts";
import type { MachineReport } from "./engine.ts";
import { managerMachine, notMeasured } from "./machine-report.ts";

// The fields that we read of what Docker answers.
const Node = z.object({
  ID: z.string(),
  Version: z.object({ Index: z.number() }),
  Spec: z.looseObject({ Availability: z.string().default("active") }),
  Status: z.object({ State: z.string() }),
  Description: z
    .object({
      Hostname: z.string().default(""),
      Resources: z.object({ NanoCPUs: z.number().default(0), MemoryBytes: z.number().default(0) }).optional(),
      Engine: z.object({ EngineVersion: z.string().default("") }).optional(),
    })
    .optional(),
});
const Nodes = z.array(Node);
const Tasks = z.array(
  z.object({
    NodeID: z.string().optional(),
    DesiredState: z.string(),
    Spec: z.object({
      ContainerSpec: z.object({ Labels: z.record(z.string(), z.string()).nullish() }).optional(),
    }),
  }),
);

const idOf = (nodeId: string): string => `swarm:${nodeId}`;

/** The machines of a Swarm. What is free is known only of the one that this server runs on. */
export async function listMachines(docker: Docker, installation: string): Promise<MachineReport[]> {
  const filters = { label: [`${labels.installation}=${installation}`] };
  const [nodes, tasks, { nodeId, ...here }] = await Promise.all([
    docker.listNodes().then((answer) => Nodes.parse(answer)),
    docker.listTasks({ filters }).then((answer) => Tasks.parse(answer)),
    managerMachine(docker),
  ]);
  return nodes.map(({ ID, Spec, Status, Description }) => ({
    id: idOf(ID),
    name: Description?.Hostname || ID,
    version: `Docker ${Description?.Engine?.EngineVersion ?? ""}`,
    cores: (Description?.Resources?.NanoCPUs ?? 0) / 1e9,
    memoryBytes: Description?.Resources?.MemoryBytes ?? 0,
    ...(ID === nodeId ? here : notMeasured),
    state: Status.State === "ready" ? "ready" : "down",
    isClosed: Spec.Availability !== "active",
    jobs: tasks
      .filter(({ NodeID, DesiredState }) => NodeID === ID && DesiredState === "running")
      .flatMap(({ Spec: task }) => task.ContainerSpec?.Labels?.[labels.job] ?? []),
  }));
}

/** A paused machine keeps what runs there and gets nothing new. `drain` would end what runs. */
export async function setMachineOpen(docker: Docker, machineId: string, isOpen: boolean): Promise<void> {
  const nodes = Nodes.parse(await docker.listNodes());
  const found = nodes.find(({ ID }) => idOf(ID) === machineId);
  if (!found) throw new Error("The machine has left the Swarm.");
  await docker
    .getNode(found.ID)
    .update({ version: found.Version.Index, ...found.Spec, Availability: isOpen ? "active" : "pause" });
}
