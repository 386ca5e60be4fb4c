/** The shelves of the shipped library, in the order in which work is done. Each is a folder of it. */
export const libraryCategories = {
  sources: { label: "Sources", colour: "#0d9488" },
  prepare: { label: "Prepare", colour: "#3b82f6" },
  features: { label: "Features", colour: "#6366f1" },
  models: { label: "Models", colour: "#9353d3" },
  evaluate: { label: "Evaluate", colour: "#d6409f" },
  show: { label: "Show", colour: "#e5702a" },
  write: { label: "Write", colour: "#64748b" },
  text: { label: "Text", colour: "#16a34a" },
  "time-series": { label: "Time series", colour: "#0284c7" },
  images: { label: "Images", colour: "#ca8a04" },
  "deep-learning": { label: "Deep learning", colour: "#dc2626" },
  flow: { label: "Flow", colour: "#78716c" },
  plain: { label: "Plain Python", colour: "#8b8d98" },
} as const;

export type LibraryCategory = keyof typeof libraryCategories;

export function isLibraryCategory(name: string | undefined): name is LibraryCategory {
  return name !== undefined && Object.hasOwn(libraryCategories, name);
}
