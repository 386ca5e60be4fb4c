import { z } from "zod";

import { note as limits } from "../limits.ts";
import { numberBetween } from "./forms.ts";
import { ComputePolicy, StoragePolicy } from "./policies.ts";

/** The size of a note on the canvas. Its text is the description of the node. */
export const NoteBody = z.object({
  width: numberBetween("Width", limits.width, "whole"),
  height: numberBetween("Height", limits.height, "whole"),
});
export type NoteBody = z.infer<typeof NoteBody>;

/** What nodes without code keep in their body. */
export const bodySchemas = { compute_policy: ComputePolicy, storage_policy: StoragePolicy, note: NoteBody } as const;

/** A class of nodes without code. */
export type BodyClass = keyof typeof bodySchemas;

export function isBodyClass(kind: string): kind is BodyClass {
  return Object.hasOwn(bodySchemas, kind);
}
