import type { CommandKind } from "./command.ts";

/** Restores a version, or some of its nodes. Only the server knows what changes, and how the workflow was before. */
export const restoreVersion: CommandKind<"restoreVersion"> = {
  apply: (content) => content,
  inverse: () => undefined,
  async call(calls, { version, nodes }) {
    const { revision, before } = await calls.restoreVersion(version, nodes);
    return { revision, inverse: { type: "restoreVersion", version: before.id } };
  },
  broadcasts: () => [],
};
