import { putGroup } from "../edit-content.ts";
import { type CommandKind, revisionOf } from "./command.ts";
import { pickFields } from "./pick-fields.ts";
import { changedPart, inOrder, isEmpty, nothingToUndo, pickParts, skippedUndo, splitFields } from "./undo.ts";

export const group: CommandKind<"group"> = {
  // The group appears once the server has given it an id.
  apply: (content) => content,
  inverse: () => undefined,
  touched: (content) => pickParts(content, {}),
  split: (command) => ({ ...nothingToUndo, free: command }),
  async call(calls, { fields }) {
    const { revision, ...created } = await calls.createGroup(fields);
    return {
      revision,
      settle: (content) => putGroup(content, created),
      inverse: { type: "delete", ids: [], edges: [], groups: [created.id] },
    };
  },
  broadcasts: () => [],
};

export const regroup: CommandKind<"regroup"> = {
  apply(content, { id, fields }) {
    const known = content.groups[id];
    return known ? putGroup(content, { ...known, ...fields }) : content;
  },
  inverse(before, command) {
    const known = before.groups[command.id];
    return known && { ...command, fields: pickFields(known, command.fields) };
  },
  touched: (content, { id }) => pickParts(content, { groups: [id] }),
  split(command, { now, left }) {
    const { id, fields } = command;
    const [known, before] = [now.groups[id], left.groups[id]];
    const part = { type: "group", id } as const;
    if (!known) return skippedUndo({ part, why: "deleted", names: [before?.name ?? ""], differs: [part] });
    const { free, taken } = splitFields(inOrder(fields), inOrder(known), before && inOrder(before));
    return {
      free: isEmpty(free) ? undefined : { ...command, fields: free },
      taken: isEmpty(taken) ? undefined : { ...command, fields: taken },
      skipped: isEmpty(taken) ? [] : [changedPart(part, [known.name])],
    };
  },
  call: (calls, { id, fields }) => revisionOf(calls.patchGroup(id, fields)),
  broadcasts: () => [],
};
