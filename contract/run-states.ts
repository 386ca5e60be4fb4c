import { z } from "zod";

/**
 * `running` and `paused` are alive. `failed`: a node raised something. `stopped`: a person interrupted it or ended its
 * session. `crashed`: the worker died. `lost`: the session ended without anybody wanting it, or its machine was lost.
 */
export const runStates = ["running", "paused", "done", "failed", "stopped", "crashed", "lost"] as const;
export const RunState = z.enum(runStates);
export type RunState = z.infer<typeof RunState>;
