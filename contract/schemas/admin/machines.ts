import { z } from "zod";

import { adminLists as limits } from "../../admin-limits.ts";
import { optionalText, requiredText } from "../forms.ts";

// Where sessions run.

export const AdminMachine = z.object({
  id: z.string(),
  engine: z.string(),
  name: z.string(),
  version: z.string(),
  /** `silent`: it has not reported for a while. */
  state: z.enum(["ready", "silent", "down"]),
  seen: z.string(),
  /** Null while it takes new sessions. */
  closed: z.object({ since: z.string(), by: z.string().nullable(), note: z.string() }).nullable(),
  cores: z.number(),
  /** How many programs want a core. Null where it is not measured, as below. */
  load: z.number().nullable(),
  memory_bytes: z.number(),
  free_memory_bytes: z.number().nullable(),
  disk_bytes: z.number().nullable(),
  free_disk_bytes: z.number().nullable(),
  /** Its sessions, and what they use now. */
  sessions: z.number(),
  sessions_cpu: z.number(),
  sessions_ram_gb: z.number(),
});
export type AdminMachine = z.infer<typeof AdminMachine>;

export const AdminMachines = z.object({
  machines: z.array(AdminMachine),
  /** Of the whole installation: sessions that run, how many may, how many of one account. */
  running: z.number(),
  slots: z.number(),
  slots_per_account: z.number(),
});
export type AdminMachines = z.infer<typeof AdminMachines>;

export const MachineParams = z.object({ id: requiredText("id", limits.machineIdMax) });

export const CloseMachineBody = z.object({ note: optionalText("The note", limits.reasonMax).default("") });
export type CloseMachineBody = z.infer<typeof CloseMachineBody>;
