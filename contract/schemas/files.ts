import { z } from "zod";

import { nodeFile } from "../limits.ts";

const words = "A file's value names its content, name, size and type.";

/** The value of a file control: the hash and the name of a file. The content is fetched separately. */
export const FileValue = z.object(
  {
    /** SHA-256 of the content, in hexadecimal. */
    file: z.string(words).regex(/^[0-9a-f]{64}$/, words),
    name: z
      .string(words)
      .min(1, words)
      .max(nodeFile.nameMax, `A file's name can have at most ${nodeFile.nameMax} characters.`),
    size: z.number(words).int(words).min(0, words).max(nodeFile.sizeMax, words),
    type: z.string(words).max(nodeFile.typeMax, words),
  },
  words,
);
export type FileValue = z.infer<typeof FileValue>;
