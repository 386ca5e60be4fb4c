import type { Person } from "@miranda/contract/schemas/account/people.ts";

import { Badge } from "../../../ui/badge.tsx";

export function StateBadges({ person }: { person: Person }) {
  return (
    <span className="flex gap-1.5">
      {person.is_admin ? <Badge tone="accent">Administrator</Badge> : null}
      {person.time_disabled === null ? null : <Badge tone="danger">Disabled</Badge>}
      {person.is_admin || person.time_disabled !== null ? null : <span className="text-ink-muted">Active</span>}
    </span>
  );
}
