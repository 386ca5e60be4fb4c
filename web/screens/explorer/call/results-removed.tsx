import { FileX2 } from "lucide-react";

export function ResultsRemoved() {
  return (
    <p className="flex items-center gap-2 px-1 text-ink-muted">
      <FileX2 className="size-4 shrink-0" aria-hidden="true" />
      The results were removed to make room. Run the app again to get them.
    </p>
  );
}
