import { useSession } from "../../api/account/session.ts";
import { fullName } from "../../format/person-names.ts";
import { usernameColour } from "../../format/username-colour.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { classes } from "../../ui/classes.ts";
import { Dropdown, DropdownItem } from "../../ui/overlay/dropdown.tsx";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";
import type { Collaborator } from "../top-bar-context.tsx";

const shownAtMost = 5;

interface MembersProps {
  members: readonly Collaborator[];
  following?: string | null | undefined;
  onFollow?: ((username: string) => void) | undefined;
}

/** The people in the graph; a click on a face follows that person. Loaded with the first collaborator, not with the bar. */
export function Members({ members, following, onFollow }: MembersProps) {
  const me = useSession().account?.username;
  const shown = members.slice(0, shownAtMost);
  const hidden = members.slice(shownAtMost);
  // A phone has space for one.
  const onPhone = members.find(({ username }) => username !== me) ?? members[0];
  const follow = (username: string) => {
    if (username !== me) onFollow?.(username);
  };
  const hint = (member: Collaborator): string => {
    if (!onFollow || member.username === me) return fullName(member);
    return member.username === following ? `Stop following ${fullName(member)}` : `Follow ${fullName(member)}`;
  };
  return (
    <ul aria-label="Collaborators" data-testid="collaborators" className="flex items-center -space-x-1">
      {shown.map((member) => (
        <li key={member.id} className={member === onPhone ? "" : "max-sm:hidden"}>
          <Tooltip text={hint(member)} side="bottom">
            <button
              type="button"
              aria-label={fullName(member)}
              aria-pressed={member.username === following}
              onClick={() => follow(member.username)}
              className={classes("block rounded-full", onFollow && member.username !== me ? null : "cursor-default")}
            >
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
      <More members={hidden} hint={hint} onFollow={follow} className="max-sm:hidden" />
      <More
        members={members.filter((member) => member !== onPhone)}
        hint={hint}
        onFollow={follow}
        className="sm:hidden"
      />
    </ul>
  );
}

interface MoreProps {
  members: readonly Collaborator[];
  hint: (member: Collaborator) => string;
  onFollow: (username: string) => void;
  className: string;
}

function More({ members, hint, onFollow, className }: MoreProps) {
  if (members.length === 0) return null;
  return (
    <li className={classes("z-1", className)}>
      <Dropdown
        trigger={
          <button
            type="button"
            className="flex h-7 min-w-7 items-center justify-center rounded-full border border-line bg-raised px-1 text-2xs font-semibold text-ink-muted ring-2 ring-surface"
          >
            <span aria-hidden="true">+{members.length}</span>
            <span className="sr-only">{members.map(fullName).join(", ")}</span>
          </button>
        }
      >
        {members.map((member) => (
          <DropdownItem key={member.id} onSelect={() => onFollow(member.username)}>
            {hint(member)}
          </DropdownItem>
        ))}
      </Dropdown>
    </li>
  );
}
