import type { LibraryCategory } from "@miranda/contract/words/library-categories.ts";
import {
  ALargeSmall,
  Brain,
  ChartColumn,
  ChartSpline,
  Code,
  DatabaseZap,
  GitFork,
  Image,
  type LucideIcon,
  Save,
  SlidersHorizontal,
  Sparkles,
  Target,
  TreePine,
} from "lucide-react";

export const categoryIcons = {
  sources: DatabaseZap,
  prepare: SlidersHorizontal,
  features: Sparkles,
  models: TreePine,
  evaluate: Target,
  show: ChartColumn,
  write: Save,
  text: ALargeSmall,
  "time-series": ChartSpline,
  images: Image,
  "deep-learning": Brain,
  flow: GitFork,
  plain: Code,
} as const satisfies Record<LibraryCategory, LucideIcon>;
