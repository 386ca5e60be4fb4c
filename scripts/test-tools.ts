import { messageOf } from "../server/platform/errors/error-details.ts";
import { getChromium, installFastChromium } from "./chromium.ts";
import { getDocker } from "./docker.ts";
import { getGit } from "./git.ts";
import { getLibraryEnvironment } from "./library-environment.ts";
import { getMlflow } from "./mlflow.ts";
import { getNotebookEnvironment } from "./notebook-environment.ts";
import { getProxies } from "./proxies.ts";
import { getRedis } from "./redis.ts";
import { getSandbox } from "./sandbox.ts";
import { getSwift } from "./swift.ts";

// Installs what the tests need. The test command runs it beside the checks, which need none of it.

try {
  installFastChromium();
  getChromium();
} catch (error) {
  console.error(messageOf(error));
}

getDocker();
getSandbox();
getGit();
getRedis();
getProxies();
getSwift();
await getMlflow();
await getLibraryEnvironment();
await getNotebookEnvironment();
