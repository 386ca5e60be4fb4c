import { usernameColour } from "../../format/username-colour.ts";

import { Avatar } from "../../ui/avatar.tsx";
import { classes } from "../../ui/classes.ts";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";
import type { Collaborator } from "../top-bar-context.tsx";

const shownAtMost = 5;

/** The other people in the graph. Loaded with the first collaborator, not with the bar. */
export function Members({ members }: { members: readonly Collaborator[] }) {
  const shown = members.slice(0, shownAtMost);
  const hidden = members.slice(shownAtMost);
  return (
    <ul aria-label="Collaborators" data-testid="collaborators" className="flex items-center -space-x-1">
      {shown.map((member) => (
        <li key={member.id} className="max-sm:not-first:hidden">
          <Tooltip text={fullName(member)} side="bottom">
            <button type="button" aria-label={fullName(member)} className="block cursor-default rounded-full">
              <Avatar
                name={fullName(member)}
                src={member.avatar}
                size="sm"
                borderColour={usernameColour(member.username)}
                className="ring-2 ring-surface"
              />
            </button>
          </Tooltip>
        </li>
      ))}
      <More members={hidden} className="max-sm:hidden" />
      {/* A phone has space for one. */}
      <More members={members.slice(1)} className="sm:hidden" />
    </ul>
  );
}

function More({ members, className }: { members: readonly Collaborator[]; className: string }) {
  if (members.length === 0) return null;
  return (
    <li
      className={classes(
        "z-1 flex h-7 min-w-7 items-center justify-center rounded-full border border-line bg-raised px-1 text-2xs font-semibold text-ink-muted ring-2 ring-surface",
        className,
      )}
    >
      <span aria-hidden="true">+{members.length}</span>
      <span className="sr-only">{members.map(fullName).join(", ")}</span>
    </li>
  );
}

function fullName({ first_name, last_name, username }: Collaborator): string {
  return `${first_name} ${last_name}`.trim() || username;
}
