import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface FactorRowProps {
  icon: LucideIcon;
  name: string;
  state: ReactNode;
  children: ReactNode;
}

export function FactorRow({ icon: Icon, name, state, children }: FactorRowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3" data-testid="second-factor">
      <Icon className="size-4 shrink-0 text-ink-muted" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-48">
        <div className="truncate font-medium">{name}</div>
        <div className="text-sm text-ink-muted">{state}</div>
      </div>
      <div className="ml-auto flex gap-2">{children}</div>
    </li>
  );
}
