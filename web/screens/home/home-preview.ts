import { preview } from "../../limits.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { shorten } from "../../ui/text/shorten.ts";

export function homePreview({ description }: Project): string {
  return shorten(description, { whole: preview.homeCut, cut: preview.homeCut, ending: "..." });
}
