import { z } from "zod";

const Person = z.object({ username: z.string(), first_name: z.string(), last_name: z.string() });

/** A project that is offered to a new owner. */
export const TransferOffer = z.object({
  project: z.object({ id: z.string(), name: z.string() }),
  from: Person,
  to: Person,
  /** What goes along. */
  deployments: z.number(),
  time_expires: z.string(),
});
export type TransferOffer = z.infer<typeof TransferOffer>;

export const TransferOfferList = z.array(TransferOffer);
export type TransferOfferList = z.infer<typeof TransferOfferList>;

/** `offered`: the new owner has to accept. An administrator transfers at once. */
export const TransferAnswer = z.object({ state: z.enum(["offered", "transferred"]) });
export type TransferAnswer = z.infer<typeof TransferAnswer>;
