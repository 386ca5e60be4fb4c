import { calls } from "./calls.ts";
import { chain } from "./chain.ts";
import { editor } from "./screens/editor.ts";
import { full } from "./full.ts";
import { fullScreens } from "./screens/full-screens.ts";
import { largeGraph } from "./graphs/large-graph.ts";
import { largeOpen } from "./graphs/large-open.ts";
import { versions } from "./graphs/versions.ts";
import { versionScreens } from "./graphs/version-screens.ts";
import { ide } from "./screens/ide.ts";
import { jupyter } from "./screens/jupyter.ts";
import { lines } from "./lines.ts";
import { logs } from "./screens/logs.ts";
import { loop } from "./loop.ts";
import type { Measurement } from "./measuring/measurement.ts";
import { packages } from "./packages.ts";
import { parallel } from "./parallel.ts";
import { processors } from "./processors.ts";
import { reads } from "./reads.ts";
import { runOnScreen } from "./screens/run-on-screen.ts";
import { screenSizes } from "./screens/screen-sizes.ts";
import { serverStart } from "./server-start.ts";
import { socket } from "./socket.ts";
import { start } from "./start.ts";
import { mlflow } from "./tracking/mlflow.ts";

/** Every benchmark, by the name that chooses it. */
export const benchmarks: Record<string, () => Promise<Measurement[]>> = {
  "server-start": serverStart,
  start,
  calls,
  reads,
  "large-graph": largeGraph,
  "large-open": largeOpen,
  full,
  chain,
  loop,
  parallel,
  lines,
  packages,
  mlflow,
  versions,
  "version-screens": versionScreens,
  "full-screens": fullScreens,
  socket,
  processors,
  editor,
  ide,
  "run-on-screen": runOnScreen,
  "screen-sizes": screenSizes,
  jupyter,
  logs,
};
