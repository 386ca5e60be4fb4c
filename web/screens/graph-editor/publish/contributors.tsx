import { usernameColour } from "../../../format/username-colour.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { counted } from "../../../ui/counted.ts";
import type { Contributor } from "./publication.ts";

interface ContributorsProps {
  contributors: readonly Contributor[];
  me: string;
  leftOut: ReadonlySet<string>;
  onChange: (nodes: readonly string[], isIn: boolean) => void;
}

/** Whose work is published, with a tick box to leave out all that one person changed. */
export function Contributors({ contributors, me, leftOut, onChange }: ContributorsProps) {
  if (contributors.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">Work by</legend>
      {contributors.map(({ username, name, avatar, nodes }) => {
        const isIn = nodes.every((lineage) => !leftOut.has(lineage));
        const isPartly = !isIn && nodes.some((lineage) => !leftOut.has(lineage));
        return (
          <label key={username} className="flex min-h-7 items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={isIn}
              ref={(box) => {
                if (box) box.indeterminate = isPartly;
              }}
              onChange={(event) => onChange(nodes, event.target.checked)}
              className="size-4 shrink-0 accent-accent"
            />
            <Avatar
              size="sm"
              name={name}
              src={avatar}
              borderColour={usernameColour(username)}
              className="size-5 text-2xs"
            />
            <span className="min-w-0 flex-1 truncate">{username === me ? "You" : name}</span>
            <span className="shrink-0 text-xs text-ink-muted">{counted(nodes.length, "node")}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
