import type Docker from "dockerode";
import { z } from "zod";

import type { ProcessorSettings } from "../platform/settings/processor-settings.ts";
import * as container from "./container.ts";
import { launchError, unlessMissing, wordsOf } from "./docker-client.ts";
import type { Engine, EngineRef, Found, Launch } from "./engine.ts";
import { chooseImage } from "./images.ts";
import { explainPull, readCredentials } from "./registry-credentials.ts";
import { listMachines, setMachineOpen } from "./swarm-machines.ts";

export interface SwarmSettings extends ProcessorSettings {
  docker: Docker;
  machineBytes: number;
  installation: string;
  runnerUrl: string;
}

// The fields that we read of what Docker answers.
const Task = z.object({
  NodeID: z.string().optional(),
  CreatedAt: z.string(),
  Status: z.object({ State: z.string(), Err: z.string().optional(), Message: z.string().optional() }),
});
type Task = z.infer<typeof Task>;
const Tasks = z.array(Task);
const Service = z.object({
  Spec: z.object({ TaskTemplate: z.object({ ContainerSpec: z.object({ Image: z.string() }) }) }),
});
const Machine = z.object({
  Status: z.object({ State: z.string(), Message: z.string().optional() }),
  Description: z.object({ Hostname: z.string().optional() }).optional(),
});
const Machines = z.array(
  z.object({
    Description: z
      .object({
        Hostname: z.string().optional(),
        Engine: z.object({ EngineVersion: z.string().optional() }).optional(),
      })
      .optional(),
  }),
);
const Info = z.object({ Swarm: z.object({ ControlAvailable: z.boolean().optional() }).optional() });
/** Docker names the id of a new object in two ways. */
const Created = z.object({ id: z.string().optional(), ID: z.string().optional() });

const nanoseconds = 1e9;
const stopMargin = 2;
/** States of a task that a machine has accepted and not ended. */
const under = new Set(["assigned", "accepted", "preparing", "ready", "starting", "running"]);

/** Processors as one-off services of a Docker Swarm, which chooses a machine for each. */
export function createSwarmEngine(settings: SwarmSettings): Engine {
  const { docker, installation, containers } = settings;
  const nameOf = (jobId: string): string => `miranda-${jobId}`;
  const filters = { label: [`${container.labels.installation}=${installation}`] };
  const labelsOf = (jobId: string) => ({
    [container.labels.job]: jobId,
    [container.labels.installation]: installation,
  });

  function toResources({ cpus, ramBytes, reservedRamBytes, gpus }: Launch) {
    const share = (bytes: number) => ({
      ...(cpus > 0 && { NanoCPUs: Math.round(cpus * nanoseconds) }),
      ...(bytes > 0 && { MemoryBytes: bytes }),
    });
    const gpu = { DiscreteResourceSpec: { Kind: containers.gpuResource, Value: gpus } };
    return {
      Limits: { ...share(ramBytes), ...(settings.mostProcesses > 0 && { Pids: settings.mostProcesses }) },
      Reservations: { ...share(reservedRamBytes), ...(gpus > 0 && { GenericResources: [gpu] }) },
    };
  }

  function toService(launch: Launch, image: string, secretId: string | undefined): Docker.CreateServiceOptions {
    const { jobId, projectId } = launch;
    const token = secretId === undefined ? launch.token : undefined;
    const file = { Name: container.tokenName, UID: container.userId, GID: container.userId, Mode: 0o400 };
    return {
      Name: nameOf(jobId),
      Labels: labelsOf(jobId),
      // Not a Swarm job: before Docker 24, removing one does not end its tasks.
      Mode: { Replicated: { Replicas: 1 } },
      TaskTemplate: {
        ContainerSpec: {
          Image: image,
          Env: container.agentEnvironment(settings, launch, { token, url: settings.runnerUrl }),
          User: container.containerUser,
          Dir: container.workFolder,
          Hostname: "processor",
          Labels: labelsOf(jobId),
          ReadOnly: true,
          CapabilityDrop: ["ALL"],
          Privileges: { NoNewPrivileges: true },
          StopGracePeriod: Math.round((settings.graceSeconds + stopMargin) * nanoseconds),
          ...(secretId !== undefined && { Secrets: [{ SecretID: secretId, SecretName: nameOf(jobId), File: file }] }),
          Mounts: [
            { Type: "volume", Target: container.workFolder },
            { Type: "tmpfs", Target: "/tmp", TmpfsOptions: { SizeBytes: container.temporaryBytes, Mode: 0o1777 } },
            container.storageMount(installation, projectId, containers.volumeDriver),
          ],
        },
        Resources: toResources(launch),
        // People decide whether to start a failed session again. The Swarm must not.
        RestartPolicy: { Condition: "none", MaxAttempts: 0 },
        Placement: { Constraints: containers.constraints },
        ...(containers.network && { Networks: [{ Target: containers.network }] }),
        LogDriver: { Name: "json-file", Options: { "max-size": "1m", "max-file": "1" } },
      },
      // Dockerode's types lack NoNewPrivileges and mounts without a source, and misname generic resources.
    } as Docker.CreateServiceOptions;
  }

  async function keepToken({ jobId, token }: Launch): Promise<string | undefined> {
    if (containers.tokenIn === "environment") return undefined;
    const Data = Buffer.from(token).toString("base64");
    const made = Created.parse(await docker.createSecret({ Name: nameOf(jobId), Labels: labelsOf(jobId), Data }));
    return made.id ?? made.ID;
  }

  async function launch(launch: Launch): Promise<EngineRef> {
    const image = chooseImage(containers, launch.image);
    try {
      if (launch.isAgain) await remove(launch.jobId, null);
      const { auth } = await readCredentials(containers.dockerConfig, image);
      const service = toService(launch, image, await keepToken(launch));
      const made = Created.parse(await docker.createService(auth, service));
      return { container: made.id ?? made.ID };
    } catch (error) {
      await remove(launch.jobId, null).catch(() => undefined);
      throw launchError(error);
    }
  }

  /** Finds the job's own objects by label. Not by name, which others may have by now. */
  const ofJob = (jobId: string) => ({ label: [`${container.labels.job}=${jobId}`, ...filters.label] });

  async function findId(jobId: string, ref: EngineRef | null): Promise<string | undefined> {
    if (typeof ref?.["container"] === "string") return ref["container"];
    return (await docker.listServices({ filters: ofJob(jobId) }))[0]?.ID;
  }

  async function remove(jobId: string, ref: EngineRef | null): Promise<void> {
    const id = await findId(jobId, ref);
    if (id !== undefined) await unlessMissing(docker.getService(id).remove());
    for (const { ID } of await docker.listSecrets({ filters: ofJob(jobId) }))
      await unlessMissing(docker.getSecret(ID).remove());
  }

  async function inspect(jobId: string, ref: EngineRef | null): Promise<Found> {
    try {
      const id = await findId(jobId, ref);
      const service = id && Service.optional().parse(await unlessMissing(docker.getService(id).inspect()));
      if (!id || !service) return await toFoundLeft(jobId);
      const tasks = Tasks.parse(await docker.listTasks({ filters: { service: [id] } }));
      const task = tasks.toSorted((one, other) => other.CreatedAt.localeCompare(one.CreatedAt))[0];
      if (!task) return { state: "unknown" };
      const { Image } = service.Spec.TaskTemplate.ContainerSpec;
      return await toFound(task, Image);
    } catch (error) {
      return { state: "unknown", reason: wordsOf(error) };
    }
  }

  async function toFound({ NodeID, Status }: Task, image: string): Promise<Found> {
    const reason = Status.Err || Status.Message || Status.State;
    if (under.has(Status.State)) return NodeID ? toFoundOn(NodeID) : { state: "running" };
    switch (Status.State) {
      case "new":
      case "allocated":
      case "pending":
        return Status.Err ? { state: "waiting", reason } : { state: "unknown" };
      default:
        return {
          state: "gone",
          reason: reason.startsWith("No such image")
            ? await whyNotPulled(image)
            : `The Swarm has ended the processor (${Status.State}): ${reason}`,
        };
    }
  }

  /** A removed service disappears at once. Its task still has its grace period. */
  async function toFoundLeft(jobId: string): Promise<Found> {
    const tasks = Tasks.parse(await docker.listTasks({ filters: ofJob(jobId) }));
    const left = tasks.find(({ NodeID, Status }) => NodeID && under.has(Status.State));
    return left?.NodeID ? toFoundOn(left.NodeID) : { state: "gone" };
  }

  /** A machine that could not pull an image reports only that it has none. Pulling here shows why. */
  async function whyNotPulled(image: string): Promise<string> {
    const credentials = await readCredentials(containers.dockerConfig, image);
    try {
      await docker.getImage(image).distribution({ authconfig: credentials.auth });
      return `The image ${image} could not be pulled by the machine that the Swarm chose, though this one reaches it.`;
    } catch (error) {
      return explainPull(image, wordsOf(error), credentials);
    }
  }

  /** For a dead machine the Swarm keeps the task's last known state, which is running. */
  async function toFoundOn(nodeId: string): Promise<Found> {
    const node = Machine.optional().parse(await unlessMissing(docker.getNode(nodeId).inspect()));
    if (node && node.Status.State !== "down") return { state: "running" };
    const name = node?.Description?.Hostname ?? nodeId;
    return {
      state: "gone",
      reason: `The machine ${name} of the Swarm is gone: ${node?.Status.Message ?? "it has left"}.`,
    };
  }

  return {
    name: "swarm",
    machineBytes: settings.machineBytes,
    warnings: [],
    notice: (image) =>
      `This processor runs as a container of the image ${image || containers.image} on a machine of the Swarm.`,
    agentSocketFolder: null,
    listening: async () => undefined,
    launch,
    inspect,
    stop: remove,

    async list() {
      const services = await docker.listServices({ filters });
      const secrets = await docker.listSecrets({ filters });
      const all = [...services, ...secrets].map(({ Spec }) => Spec?.Labels?.[container.labels.job]);
      return [...new Set(all)].filter((jobId) => jobId !== undefined);
    },

    machineId: null,
    machines: () => listMachines(docker, installation),
    setOpen: (machineId, isOpen) => setMachineOpen(docker, machineId, isOpen),

    // Docker measures its own machine only. The agents measure everywhere.
    // Its managers report no ends of containers on other machines.
    watch: undefined,
    usage: undefined,
    volume: (_projectId, name) => container.volumePath(name),
    clean: async () => undefined,
  };
}

/** A warning for machines whose Docker does not forbid new privileges: Swarm cannot before version 25. */
export async function rightsNotice(docker: Docker): Promise<string | undefined> {
  const nodes = Machines.parse(await docker.listNodes());
  const old = nodes
    .map(({ Description }) => ({ name: Description?.Hostname, version: Description?.Engine?.EngineVersion ?? "0" }))
    .filter(({ version }) => Number.parseInt(version, 10) < 25);
  if (old.length === 0) return undefined;
  const machines = old.map(({ name, version }) => `${name} (${version})`).join(", ");
  return (
    `Docker before 25 takes no no-new-privileges from a Swarm: ${machines}. Nothing follows from it as long as processor ` +
    "images have no set-user-id programs; ours has none."
  );
}

/** Explains that a Docker Engine is not a manager of a Swarm. */
export async function swarmProblem(docker: Docker): Promise<string | undefined> {
  const info = Info.parse(await docker.info());
  return info.Swarm?.ControlAvailable
    ? undefined
    : "MIRANDA_ENGINE is swarm, but that Docker Engine is no manager of one.";
}
