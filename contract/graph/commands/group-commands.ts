import { putGroup } from "../edit-content.ts";
import { type CommandKind, revisionOf } from "./command.ts";
import { pickFields } from "./pick-fields.ts";

export const group: CommandKind<"group"> = {
  // The group appears once the server has given it an id.
  apply: (content) => content,
  inverse: () => undefined,
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
  call: (calls, { id, fields }) => revisionOf(calls.patchGroup(id, fields)),
  broadcasts: () => [],
};
