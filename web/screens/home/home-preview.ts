import { preview } from "../../limits.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { plainMarkdown } from "../../ui/markdown/plain-markdown.ts";
import { shorten } from "../../ui/text/shorten.ts";

export function homePreview({ description }: Project): string {
  return shorten(plainMarkdown(description), { whole: preview.homeCut, cut: preview.homeCut, ending: "..." });
}
