import { UserRoundPen } from "lucide-react";

import type { Draft } from "@miranda/contract/schemas/code.ts";

import { useGraph } from "../../providers/object-provider.tsx";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { authorNames } from "../../providers/unsaved/unsaved-code.ts";
import { useOthersCode } from "../../providers/unsaved/use-unsaved-code.ts";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { DropdownCheckbox, DropdownSeparator } from "../../ui/overlay/dropdown.tsx";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";

const maxShown = 8;

/** Beside Run while another person has unsaved code. One click includes all of it. */
export function IncludeButton() {
  const { unsaved } = useProcessor();
  const { drafts, included, me } = useOthersCode();
  if (drafts.length === 0) return null;
  const nodes = drafts.map(({ metadata_id }) => metadata_id);
  const isAll = nodes.every((node) => included.has(node));
  const names = namesOf(drafts, me);
  return (
    <Tooltip side="bottom" text={<UnsavedCodeNote />}>
      <Button
        size="sm"
        variant="ghost"
        aria-pressed={isAll}
        aria-label={isAll ? `Unsaved code by ${names} is included` : `Include unsaved code by ${names}`}
        onClick={() => unsaved.include(nodes, !isAll)}
        className={classes("px-2", isAll ? "bg-accent-soft text-accent-text" : "text-warning-text")}
        data-testid="include-code"
      >
        <UserRoundPen className="size-3.5 shrink-0" aria-hidden="true" />
        <span className="max-w-48 truncate max-sm:hidden">
          {isAll ? `With code by ${names}` : `Include code by ${names}`}
        </span>
      </Button>
    </Tooltip>
  );
}

/**
 * Which unsaved code of other people a run includes or leaves out. Paragraphs, not a list: it is also used in a menu,
 * which may not contain a list.
 */
export function UnsavedCodeNote() {
  const { drafts, included, me } = useOthersCode();
  const nodes = useGraph((view) => view.resolved.nodes);
  if (drafts.length === 0) return null;
  return (
    <div className="flex flex-col gap-0.5 text-xs" data-testid="others-code">
      {drafts.slice(0, maxShown).map(({ metadata_id, authors }) => (
        <p key={metadata_id}>
          <span className="font-medium">{nodes[metadata_id]?.name}</span>
          {` has unsaved changes by ${authorNames(authors, me)}`}
          {included.has(metadata_id) ? ", included." : "."}
        </p>
      ))}
      {drafts.length > maxShown ? <p>and {drafts.length - maxShown} more nodes.</p> : null}
    </div>
  );
}

/** The same in the Run menu, one item per node. */
export function IncludeItems() {
  const { unsaved } = useProcessor();
  const { drafts, included, me } = useOthersCode();
  const nodes = useGraph((view) => view.resolved.nodes);
  if (drafts.length === 0) return null;
  return (
    <>
      <DropdownSeparator />
      {drafts.slice(0, maxShown).map(({ metadata_id, authors }) => (
        <DropdownCheckbox
          key={metadata_id}
          checked={included.has(metadata_id)}
          onCheckedChange={(isIncluded) => unsaved.include([metadata_id], isIncluded)}
          onSelect={(event) => event.preventDefault()}
        >
          <span className="max-w-64 truncate">
            Include code by {authorNames(authors, me)} in {nodes[metadata_id]?.name}
          </span>
        </DropdownCheckbox>
      ))}
    </>
  );
}

function namesOf(drafts: readonly Draft[], me: string | undefined): string {
  const people = new Map(drafts.flatMap(({ authors }) => authors.map((author) => [author.username, author])));
  return authorNames(
    [...people.values()].filter(({ username }) => username !== me),
    me,
  );
}
