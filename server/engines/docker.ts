import { hostname } from "node:os";
import { join } from "node:path";
import type Docker from "dockerode";

import type { ProcessorSettings } from "../platform/settings/processor-settings.ts";
import * as container from "./container.ts";
import { dockerAddress, launchError, sharesFiles, statusOf, unlessMissing, wordsOf } from "./docker-client.ts";
import { watchDeaths } from "./docker-deaths.ts";
import { dockerFolders } from "./docker-folders.ts";
import { measureContainers } from "./docker-usage.ts";
import { type Engine, EngineAway, type EngineRef, type Found, type Launch } from "./engine.ts";
import { chooseImage, haveImage } from "./images.ts";
import { dockerMachine } from "./machine-report.ts";

export interface DockerSettings extends ProcessorSettings {
  docker: Docker;
  machineBytes: number;
  dataFolder: string;
  /** Several installations may share one Docker Engine. */
  installation: string;
}

const ownNetwork = "miranda";
const hostName = "host.docker.internal";

/** Processors as containers of one Docker Engine. */
export function createDockerEngine(settings: DockerSettings): Engine {
  const { docker, installation, containers } = settings;
  const { runnerUrl } = containers;
  const agentSocketFolder = runnerUrl === undefined ? join(settings.dataFolder, "agents") : null;
  const network = containers.network ?? ownNetwork;
  const nameOf = (jobId: string): string => `miranda-${jobId}`;
  const ours = { label: [`${container.labels.installation}=${installation}`] };
  let networkIsThere: Promise<void> | undefined;

  /** Containers on this network cannot reach each other. */
  async function haveNetwork(): Promise<void> {
    if (network !== ownNetwork || (await unlessMissing(docker.getNetwork(network).inspect()))) return;
    await docker
      .createNetwork({
        Name: network,
        CheckDuplicate: true,
        Options: { "com.docker.network.bridge.enable_icc": "false" },
      })
      .catch((error: unknown) => {
        // Another server has created it meanwhile.
        if (statusOf(error) !== 409) throw error;
      });
  }

  function toContainer(launch: Launch, image: string): Docker.ContainerCreateOptions {
    const { jobId, cpus, ramBytes, gpus, token } = launch;
    const url = runnerUrl ?? `unix:${container.agentSocketFolder}/${container.doorName}`;
    const reachesHost = runnerUrl !== undefined && new URL(runnerUrl).hostname === hostName;
    return {
      name: nameOf(jobId),
      Image: image,
      User: container.containerUser,
      WorkingDir: container.workFolder,
      Hostname: "processor",
      Env: container.agentEnvironment(settings, launch, { token, url }),
      Labels: { [container.labels.job]: jobId, [container.labels.installation]: installation },
      StopTimeout: Math.ceil(settings.graceSeconds) + 5,
      HostConfig: {
        NetworkMode: network,
        ...(reachesHost && { ExtraHosts: [`${hostName}:host-gateway`] }),
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        ReadonlyRootfs: true,
        PidsLimit: settings.mostProcesses || -1,
        ...(cpus > 0 && { NanoCpus: Math.round(cpus * 1e9) }),
        // No swap: a session over its memory limit is killed, instead of slowing down everybody.
        ...(ramBytes > 0 && { Memory: ramBytes, MemorySwap: ramBytes }),
        ...(gpus > 0 && { DeviceRequests: [{ Driver: "", Count: gpus, Capabilities: [["gpu"]] }] }),
        Tmpfs: { "/tmp": `rw,nosuid,nodev,mode=1777,size=${container.temporaryBytes}` },
        Mounts: [
          // An unnamed volume is removed with the container.
          { Type: "volume", Source: "", Target: container.workFolder },
          container.storageMount(installation, launch.projectId, containers.volumeDriver),
          ...(agentSocketFolder === null ? [] : [container.doorMount(agentSocketFolder, containers.agentSocketVolume)]),
        ],
        Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }],
        LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "1" } },
        RestartPolicy: { Name: "no" },
      },
    };
  }

  async function launch(launch: Launch): Promise<EngineRef> {
    const image = chooseImage(containers, launch.image);
    try {
      if (launch.isAgain) await remove(launch.jobId, null);
      await haveImage(docker, image, containers, launch.log);
      networkIsThere ??= haveNetwork();
      await networkIsThere.catch((error: unknown) => {
        networkIsThere = undefined;
        throw error;
      });
      const made = await docker.createContainer(toContainer(launch, image));
      await made.start();
      return { container: made.id };
    } catch (error) {
      const words = wordsOf(error);
      // Nothing can be removed while the engine is away. The next try removes it, or it is ended as an orphan.
      const failure = launchError(error, words);
      if (failure instanceof EngineAway) throw failure;
      await remove(launch.jobId, null).catch(() => undefined);
      if (launch.gpus > 0 && /device driver/.test(words))
        throw new Error("The compute policy asks for GPUs, and this Docker Engine has none.", { cause: error });
      throw failure;
    }
  }

  /** The container of this job, by id or label. Not by name, which another container may have by now. */
  async function findId(jobId: string, ref: EngineRef | null): Promise<string | undefined> {
    if (typeof ref?.["container"] === "string") return ref["container"];
    const label = [`${container.labels.job}=${jobId}`, ...ours.label];
    return (await docker.listContainers({ all: true, filters: { label } }))[0]?.Id;
  }

  async function remove(jobId: string, ref: EngineRef | null): Promise<void> {
    const id = await findId(jobId, ref);
    if (id === undefined) return;
    try {
      await docker.getContainer(id).remove({ force: true, v: true });
    } catch (error) {
      // 409: it is being removed at this moment.
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
    }
  }

  async function inspect(jobId: string, ref: EngineRef | null): Promise<Found> {
    try {
      const id = await findId(jobId, ref);
      const found = id && (await unlessMissing(docker.getContainer(id).inspect()));
      if (!found) return { state: "gone" };
      if (found.State.Running) return { state: "running" };
      return { state: "gone", reason: endOf(found) };
    } catch (error) {
      return { state: "unknown", reason: wordsOf(error) };
    }
  }

  async function list(): Promise<string[]> {
    const found = await docker.listContainers({ all: true, filters: ours });
    return found.map(({ Labels }) => Labels[container.labels.job]).filter((jobId) => jobId !== undefined);
  }

  // Several servers may use one Docker Engine of another machine.
  const where = sharesFiles(containers.dockerHost) ? hostname() : dockerAddress(containers.dockerHost);
  const machineId = `docker:${where}`;

  return {
    name: "docker",
    machineBytes: settings.machineBytes,
    warnings: [],
    notice: (image) => `This processor runs as a container of the image ${image || containers.image}.`,
    agentSocketFolder,
    listening: async () => undefined,
    launch,
    inspect,
    stop: remove,

    list,
    machineId,
    machines: async () => [{ ...(await dockerMachine(docker)), id: machineId, jobs: await list() }],

    watch: watchDeaths(docker, installation),
    usage: measureContainers(docker, nameOf),
    volume: (_projectId, name) => container.volumePath(name),
    clean: async () => undefined,
    folders: dockerFolders(docker, installation),
  };
}

function endOf({ State, HostConfig }: Docker.ContainerInspectInfo): string {
  if (State.OOMKilled)
    return `The session was ended: it used more than its ${((HostConfig.Memory ?? 0) / 1e9).toPrecision(3)} GB of memory.`;
  if (State.Status === "created") return "The processor's container was made but never started.";
  return `The processor's container ended with exit code ${State.ExitCode}: it was killed, or its machine restarted.`;
}

/** Explains a configuration under which no agent could reach the server. */
export async function doorProblem(
  docker: Docker,
  { dockerHost, runnerUrl, agentSocketVolume: doorVolume }: ProcessorSettings["containers"],
): Promise<string | undefined> {
  if (doorVolume !== undefined) {
    // Docker would create an empty volume, and every agent would wait for a socket there.
    if (await unlessMissing(docker.getVolume(doorVolume).inspect())) return undefined;
    return `MIRANDA_DOOR_VOLUME names the volume ${doorVolume}, which that Docker Engine does not have.`;
  }
  if (runnerUrl !== undefined || sharesFiles(dockerHost)) return undefined;
  return (
    `Processors on ${dockerHost} cannot reach this server by themselves. Set MIRANDA_RUNNER_URL to the address at ` +
    "which they can."
  );
}
