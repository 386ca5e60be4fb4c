import type { CommandKind, CommandOf } from "./command.ts";
import { splitVersion } from "./undo-versions.ts";

/** Restores a version, or some of its nodes. Only the server knows what changes, and how the workflow was before. */
export const restoreVersion: CommandKind<"restoreVersion"> = {
  apply: (content) => content,
  inverse: () => undefined,
  touched: (content) => content,
  split: splitVersion,
  async call(calls, command, was) {
    const { before, ...restored } = await calls.restoreVersion(command.version, await lineagesOf(command));
    const { added = [] } = command;
    const { revision } = added.length > 0 ? await calls.deleteMany({ ids: added, edges: [], groups: [] }) : restored;
    return { revision, inverse: { type: "restoreVersion", version: before.id, was } };

    async function lineagesOf({ version, nodes, ids }: CommandOf<"restoreVersion">) {
      if (!ids) return nodes;
      const { lineages } = await calls.versionGraph(version);
      return ids.flatMap((id) => lineages[id] ?? []);
    }
  },
  broadcasts: () => [],
};
