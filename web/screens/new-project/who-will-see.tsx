import { Globe, Lock, type LucideIcon } from "lucide-react";

import type { Visibility } from "@miranda/contract/schemas/projects.ts";

import { Button } from "../../ui/button.tsx";

interface Look {
  icon: LucideIcon;
  text: string;
  /** What the button does, and what it changes to. */
  change: string;
  to: Visibility;
}

const looks = {
  private: { icon: Lock, text: "Only its members will see it.", change: "show it to every account", to: "public" },
  public: { icon: Globe, text: "Every account here will see it.", change: "show it to members only", to: "private" },
} as const satisfies Record<Visibility, Look>;

interface WhoWillSeeProps {
  value: Visibility;
  onChange: (value: Visibility) => void;
}

/** One line that says who will see the new project, and changes it. */
export function WhoWillSee({ value, onChange }: WhoWillSeeProps) {
  const { icon: Icon, text, change, to } = looks[value];
  return (
    <fieldset
      aria-label="Who will see it"
      className="flex items-center gap-3 rounded-md bg-sunken py-1.5 pr-1.5 pl-3 text-sm"
    >
      <output className="flex min-w-0 flex-1 items-center gap-2">
        <Icon className="size-4 shrink-0 text-ink-muted" aria-hidden="true" />
        {text}
      </output>
      <Button size="sm" variant="ghost" aria-label={`Change: ${change}`} onClick={() => onChange(to)}>
        Change
      </Button>
    </fieldset>
  );
}
