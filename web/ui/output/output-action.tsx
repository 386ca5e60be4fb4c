import type { LucideIcon } from "lucide-react";

interface OutputActionProps {
  icon: LucideIcon;
  label: string;
  hint: string;
  onClick: () => void;
}

/** A small button for an output. */
export function OutputAction({ icon: Icon, label, hint, onClick }: OutputActionProps) {
  return (
    <button
      type="button"
      title={hint}
      aria-label={hint}
      onClick={onClick}
      className="flex h-6 items-center gap-1 rounded-sm px-1.5 text-xs text-ink-muted hover:bg-hover hover:text-ink"
    >
      <Icon className="size-3.5" aria-hidden="true" />
      {label}
    </button>
  );
}
