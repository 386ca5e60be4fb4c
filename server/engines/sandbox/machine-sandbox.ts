import type { ProcessorSettings } from "../../platform/settings/processor-settings.ts";
import { findUv } from "../uv.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";

/** The sandbox for sessions on this machine. To try it takes as long as the server needs to load: begin early. */
export function openMachineSandbox(settings: ProcessorSettings, dataFolder: string): Promise<Sandbox> {
  const own = findUv(settings.uv);
  const sandboxPaths = [...settings.sandboxPaths, ...(own === undefined ? [] : [own])];
  return openSandbox({ ...settings, sandboxPaths, dataFolder });
}
