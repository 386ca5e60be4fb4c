import type { ReactNode } from "react";

export const panelInput =
  "w-full min-w-0 rounded-md border border-line bg-sunken px-2 text-ink transition-colors " +
  "enabled:hover:border-line-strong focus-visible:outline-offset-0 disabled:opacity-70";

export function Section({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2.5 border-b border-line px-4 py-3 last:border-b-0">
      {title ? <h3 className="text-xs font-semibold text-ink-faint">{title}</h3> : null}
      {children}
    </section>
  );
}

export function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className="flex min-w-0 flex-col gap-1">
      <span className="text-xs text-ink-muted">{label}</span>
      {children}
    </label>
  );
}

export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-h-6 items-center justify-between gap-3">
      <span className="text-sm text-ink-muted">{label}</span>
      {children}
    </div>
  );
}
