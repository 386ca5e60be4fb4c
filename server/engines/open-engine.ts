import type { ProcessorSettings } from "../platform/processor-settings.ts";
import { StartupError } from "../platform/startup-error.ts";
import { answers, connectDocker, dockerAddress, mayBeThere, unlessMissing } from "./docker-client.ts";
import { createDockerEngine, doorProblem } from "./docker.ts";
import type { Engine } from "./engine.ts";
import { createLocalEngine } from "./local.ts";
import { openSandbox } from "./sandbox.ts";
import { createSwarmEngine, rightsNotice, swarmProblem } from "./swarm.ts";

interface Place {
  dataFolder: string;
  installation: string;
  /** Where the server listens at the moment. */
  address: () => string;
  say: (line: string) => void;
}

/** The engine that the configuration names, or the best there is. */
export async function openEngine(settings: ProcessorSettings, place: Place): Promise<Engine> {
  const { runnerUrl } = settings.containers;
  // Behind a proxy, agents reach whichever server is there.
  const address = () => runnerUrl ?? place.address();
  const local = async () => createLocalEngine({ ...settings, ...place, address, sandbox: await openSandbox(settings) });
  if (settings.engine === "local") return local();
  const { dockerHost, image } = settings.containers;
  if (settings.engine === "auto" && !mayBeThere(dockerHost)) return local();

  const docker = await connectDocker(dockerHost);
  const isThere = await answers(docker);
  if (settings.engine === "auto") {
    if (!isThere || (await doorProblem(docker, settings.containers))) return local();
    if (!(await unlessMissing(docker.getImage(image).inspect()))) {
      place.say(`Docker is here, but not the image ${image}: processors run as processes. See docs/operations.md.`);
      return local();
    }
  }
  if (!isThere)
    throw new StartupError(
      `MIRANDA_ENGINE is ${settings.engine}, but nothing answers at ${dockerAddress(dockerHost)}.`,
    );
  if (settings.engine === "swarm") {
    const problem = await swarmProblem(docker);
    if (problem) throw new StartupError(problem);
    if (runnerUrl === undefined)
      throw new StartupError(
        "On a Swarm, MIRANDA_RUNNER_URL must be the address at which its machines reach this server.",
      );
    const notice = await rightsNotice(docker);
    if (notice) place.say(notice);
    return createSwarmEngine({ ...settings, ...place, docker, runnerUrl });
  }
  const problem = await doorProblem(docker, settings.containers);
  if (problem) throw new StartupError(problem);
  return createDockerEngine({ ...settings, ...place, docker });
}
