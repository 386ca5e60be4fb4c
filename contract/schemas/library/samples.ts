import { z } from "zod";

/** `waste-water` needs no packages; `iris` installs scikit-learn. */
export const SampleName = z.enum(["waste-water", "iris"]);
export type SampleName = z.infer<typeof SampleName>;

/** Where a person's copy of a sample is. */
export const Sample = z.object({ sample: SampleName, project_id: z.string(), graph_id: z.string() });
export type Sample = z.infer<typeof Sample>;

export const MakeSampleBody = z.object({ sample: SampleName });
export type MakeSampleBody = z.infer<typeof MakeSampleBody>;
