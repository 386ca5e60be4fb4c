import { z } from "zod";

const minutes = { m: 1, h: 60, d: 1_440 } as const;

const Every = z
  .string()
  .regex(/^\d{1,5}[mhd]$/, "a number of minutes, hours or days, such as 30m or 12h")
  .transform((text) => Number.parseInt(text, 10) * minutes[text.at(-1) as keyof typeof minutes] * 60_000)
  .refine((time) => time >= 5 * 60_000, "at least 5m");

export const operationsEnvironment = {
  MIRANDA_BACKUP_EVERY: Every.optional(),
  MIRANDA_BACKUP_KEEP: z.coerce.number().int().min(1).max(10_000).default(7),
  MIRANDA_BACKUP_FOLDER: z.string().min(1).optional(),
  MIRANDA_BACKUP_PASSPHRASE: z.string().min(12).optional(),
  MIRANDA_METRICS_TOKEN: z.string().min(16).optional(),
};

export interface BackupSettings {
  /** The time between two backups that the server makes by itself, in milliseconds. Undefined: it makes none. */
  every: number | undefined;
  /** How many of those are kept. */
  keep: number;
  /** Undefined: `backups` in the data folder. */
  folder: string | undefined;
  /** Seals the secret key inside of the archive. Without it the key is not in the archive. */
  passphrase: string | undefined;
}

export function toBackupSettings(value: z.infer<z.ZodObject<typeof operationsEnvironment>>): BackupSettings {
  return {
    every: value.MIRANDA_BACKUP_EVERY,
    keep: value.MIRANDA_BACKUP_KEEP,
    folder: value.MIRANDA_BACKUP_FOLDER,
    passphrase: value.MIRANDA_BACKUP_PASSPHRASE,
  };
}
