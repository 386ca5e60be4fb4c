import { BookOpen } from "lucide-react";

/** Leads to a page of the handbook, in a new tab: what a person is doing stays open. */
export function HandbookLink({ page, children }: { page: string; children: string }) {
  return (
    <a
      href={`/docs/${page}`}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1.5 font-medium text-accent-text hover:underline"
    >
      <BookOpen className="size-4" aria-hidden="true" />
      {children}
    </a>
  );
}
