import { z } from "zod";

/** A result that its caller shared: everybody with the address sees it. */
const SharedResult = z.object({
  /** Of the call. */
  id: z.string(),
  app: z.object({ name: z.string(), title: z.string() }),
  /** The username of who shared it; null for a visitor. */
  by: z.string().nullable(),
  time_called: z.string(),
});

/** The newest ones, and how many there are in all. */
export const SharedResultList = z.object({ shares: z.array(SharedResult), total: z.number() });
export type SharedResultList = z.infer<typeof SharedResultList>;
