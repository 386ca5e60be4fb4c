import {
  Archive,
  Box,
  FileDigit,
  GitCommitHorizontal,
  type LucideIcon,
  Package,
  Play,
  Rocket,
  SquareCode,
  Table2,
  Workflow,
} from "lucide-react";

import type { LineageKind } from "@miranda/contract/schemas/models/lineage.ts";

/** How each kind looks, and what it is called. */
export const kindLooks: Readonly<Record<LineageKind, { icon: LucideIcon; word: string; colour: string }>> = {
  file: { icon: FileDigit, word: "Uploaded file", colour: "text-info-text" },
  result: { icon: Archive, word: "Kept result", colour: "text-info-text" },
  dataset: { icon: Table2, word: "Dataset", colour: "text-info-text" },
  packages: { icon: Package, word: "Packages", colour: "text-warning-text" },
  node: { icon: SquareCode, word: "Node", colour: "text-accent-text" },
  commit: { icon: GitCommitHorizontal, word: "Commit", colour: "text-accent-text" },
  workflow: { icon: Workflow, word: "Version of the workflow", colour: "text-accent-text" },
  run: { icon: Play, word: "Run", colour: "text-success-text" },
  model: { icon: Box, word: "Version of the model", colour: "text-accent-text" },
  deployment: { icon: Rocket, word: "Deployment", colour: "text-success-text" },
};
