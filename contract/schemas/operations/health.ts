import { z } from "zod";

const Time = z.string();

export const Backup = z.object({
  id: z.string(),
  state: z.enum(["RUNNING", "DONE", "FAILED"]),
  made_by: z.enum(["command", "schedule", "person"]),
  /** Who asked for it. Null for the schedule, a command, and deleted accounts. */
  username: z.string().nullable(),
  started_at: Time,
  ended_at: Time.nullable(),
  /** Where its archive is, on the machine of the server that made it. */
  file: z.string(),
  bytes: z.number().nullable(),
  /** Whether the archive contains the secret key, sealed with a passphrase. */
  has_key: z.boolean(),
  step: z.enum(["files", "database", "check"]),
  /** Of the step that runs, between 0 and 1. */
  progress: z.number(),
  /** Files that could not be copied. */
  missing: z.number(),
  problem: z.string().nullable(),
  /** When its archive was removed, because there are newer ones. */
  removed_at: Time.nullable(),
});
export type Backup = z.infer<typeof Backup>;

/** Whether a part of the installation works, in words when it does not. */
export const HealthPart = z.object({ state: z.enum(["ok", "warning", "failed", "off"]), words: z.string() });
export type HealthPart = z.infer<typeof HealthPart>;

export const Health = z.object({
  versions: z.object({
    miranda: z.string(),
    node: z.string(),
    postgres: z.string().nullable(),
    python: z.string().nullable(),
  }),
  database: HealthPart.extend({
    is_embedded: z.boolean(),
    bytes: z.number().nullable(),
    connections: z.object({ open: z.number(), idle: z.number(), waiting: z.number(), most: z.number() }),
  }),
  migrations: HealthPart.extend({ pending: z.array(z.string()) }),
  disk: HealthPart.extend({ free_bytes: z.number(), total_bytes: z.number() }),
  engine: HealthPart.extend({ name: z.string() }),
  redis: HealthPart,
  backup: HealthPart.extend({
    /** Milliseconds between two backups that the server makes by itself. Null: it makes none. */
    every: z.number().nullable(),
    keep: z.number(),
    folder: z.string(),
    has_passphrase: z.boolean(),
    recent: z.array(Backup),
  }),
  started_at: Time,
});
export type Health = z.infer<typeof Health>;
