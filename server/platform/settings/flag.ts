import { z } from "zod";

/** A setting that is on or off. */
export const Flag = z.enum(["true", "false", "1", "0"]).transform((value) => value === "true" || value === "1");
