import { createTextMerge } from "@miranda/contract/text/merge-text.ts";
import { diffArrays } from "diff";

export const { mergeLines } = createTextMerge(diffArrays);
