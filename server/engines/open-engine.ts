import { isIP } from "node:net";

import type { ProcessorSettings } from "../platform/settings/processor-settings.ts";
import { StartupError } from "../platform/errors/startup-error.ts";
import { answers, connectDocker, dockerAddress, launchError, mayBeThere, unlessMissing } from "./docker-client.ts";
import { createDockerEngine, doorProblem } from "./docker.ts";
import type { Engine } from "./engine.ts";
import { dockerMemory, ownMemory } from "./machine-report.ts";
import { createLocalEngine } from "./local.ts";
import { openMachineSandbox } from "./sandbox/machine-sandbox.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { createSwarmEngine, rightsNotice, swarmProblem } from "./swarm.ts";

interface Place {
  dataFolder: string;
  installation: string;
  /** Where the server listens at the moment. */
  address: () => string;
  log: (line: string) => void;
  /** The address that the server listens on. */
  host: string;
  /** Where it has been begun already. */
  begunSandbox?: Promise<Sandbox> | undefined;
}

/** The engine that the configuration names, or the best one available. */
export async function openEngine(settings: ProcessorSettings, place: Place): Promise<Engine> {
  const engine = await chooseEngine(settings, place);
  const open = engine.warnings.find(({ code }) => code === "no_sandbox");
  if (open && settings.sandbox && !isLoopback(place.host))
    throw new StartupError(
      `${open.message} A server that others can reach (HOST ${place.host}) does not start like this, unless ` +
        "MIRANDA_SANDBOX=off allows it.",
    );
  return engine;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

async function chooseEngine(settings: ProcessorSettings, place: Place): Promise<Engine> {
  const { runnerUrl } = settings.containers;
  // Behind a load balancer, agents reach whichever server answers.
  const address = () => runnerUrl ?? place.address();
  const local = async () =>
    createLocalEngine({
      ...{ ...settings, ...place, address },
      sandbox: await (place.begunSandbox ?? openMachineSandbox(settings, place.dataFolder)),
    });
  if (settings.engine === "local") return local();
  const { dockerHost, dockerSilence, image } = settings.containers;
  if (settings.engine === "auto" && !mayBeThere(dockerHost)) return local();

  const docker = await connectDocker(dockerHost, dockerSilence);
  const isThere = await answers(docker);
  if (settings.engine === "auto") {
    if (!isThere || (await doorProblem(docker, settings.containers))) return local();
    if (!(await unlessMissing(docker.getImage(image).inspect()))) {
      place.log(`Docker is here, but not the image ${image}: processors run as processes. See docs/operations.md.`);
      return local();
    }
  }
  const isSwarm = settings.engine === "swarm";
  const findProblem = () => (isSwarm ? swarmProblem(docker) : doorProblem(docker, settings.containers));
  const problem = isThere && (await findProblem());
  if (problem) throw new StartupError(problem);
  if (isSwarm && runnerUrl === undefined)
    throw new StartupError(
      "On a Swarm, MIRANDA_RUNNER_URL must be the address at which its machines reach this server.",
    );
  const machineBytes = isThere ? await dockerMemory(docker) : ownMemory();
  const engine =
    isSwarm && runnerUrl !== undefined
      ? createSwarmEngine({ ...settings, ...place, docker, machineBytes, runnerUrl })
      : createDockerEngine({ ...settings, ...place, docker, machineBytes });
  const notice = isSwarm && isThere && (await rightsNotice(docker));
  if (notice) place.log(notice);
  if (isThere) return engine;
  const where = dockerAddress(dockerHost);
  place.log(`MIRANDA_ENGINE is ${settings.engine}, but nothing answers at ${where}: processors start when it does.`);
  return checkedLater(engine, findProblem);
}

/** Docker may start after the server. The first session that needs it then reports what is wrong. */
function checkedLater(engine: Engine, findProblem: () => Promise<string | undefined>): Engine {
  let isRight = false;
  return {
    ...engine,
    async launch(launch) {
      if (!isRight) {
        const problem = await findProblem().catch((error: unknown) => {
          throw launchError(error);
        });
        if (problem) throw new Error(problem);
        isRight = true;
      }
      return engine.launch(launch);
    },
  };
}
