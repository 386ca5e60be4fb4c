import { Globe, Lock } from "lucide-react";

import type { Visibility } from "@miranda/contract/schemas/projects.ts";

import { classes } from "../../ui/classes.ts";

const looks = {
  public: { icon: Globe, text: "Every account here can read this." },
  private: { icon: Lock, text: "Only members of the project can read this." },
} as const satisfies Record<Visibility, object>;

/** Who can read what a page shows. Nothing until it is known. */
export function WhoReads({ visibility, className }: { visibility: Visibility | undefined; className?: string }) {
  if (visibility === undefined) return null;
  const { icon: Icon, text } = looks[visibility];
  return (
    <p className={classes("flex items-center gap-1.5 text-sm text-ink-muted", className ?? null)}>
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      {text}
    </p>
  );
}
