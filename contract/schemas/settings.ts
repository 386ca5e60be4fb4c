import { z } from "zod";

/** What an installation decides and the client has to know. */
export const Settings = z.object({
  /** The sign before every amount. */
  currency: z.string(),
  /** Where running containers are looked at; null: in Miranda itself. */
  processor_host: z.string().nullable(),
});
export type Settings = z.infer<typeof Settings>;
