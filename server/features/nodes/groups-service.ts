import type { ChangedGroup, CreateGroupBody, PatchGroupBody } from "@miranda/contract/schemas/changes.ts";
import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { newId } from "../../platform/crypto.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import { groupQueries } from "./groups-queries.ts";
import type { GraphChanges } from "./graph-changes-service.ts";

export type Groups = ReturnType<typeof createGroups>;

/** Frames around nodes. A deleted node's number stays in its group, so that restoring the node is enough. */
export function createGroups({ graphs, changes }: { graphs: Graphs; changes: GraphChanges }) {
  return {
    async create(caller: Caller, graphId: string, body: CreateGroupBody): Promise<ChangedGroup> {
      await graphs.getGraph(caller, graphId, "write");
      const { metadata_ids, ...given } = body;
      return changes.commit(caller, graphId, async (trx) => {
        const queries = groupQueries(trx, graphId);
        const members = await queries.present(metadata_ids);
        if (members.length === 0) throw new AppError("nothing_selected");
        await queries.makeRoom(1);
        const group: NodeGroup = { id: newId(), ...given, metadata_ids: members };
        await queries.insertMany([group]);
        return { answer: group, change: () => ({ groups: [group] }) };
      });
    },

    async change(caller: Caller, graphId: string, groupId: string, body: PatchGroupBody): Promise<ChangedGroup> {
      await graphs.getGraph(caller, graphId, "write");
      const { metadata_ids, name, colour, collapsed } = body;
      return changes.commit(caller, graphId, async (trx) => {
        const queries = groupQueries(trx, graphId);
        const row = await queries.update(groupId, {
          ...(name !== undefined && { name }),
          ...(colour !== undefined && { colour }),
          ...(collapsed !== undefined && { collapsed }),
          ...(metadata_ids !== undefined && { members: await queries.present(metadata_ids) }),
        });
        if (!row) throw new AppError("group_not_found");
        const { members, ...shown } = row;
        const group: NodeGroup = { ...shown, metadata_ids: await queries.present(members.map(Number)) };
        return { answer: group, change: () => ({ groups: [group] }) };
      });
    },

    async remove(caller: Caller, graphId: string, groupId: string): Promise<{ revision: number }> {
      await graphs.getGraph(caller, graphId, "write");
      return changes.commit(caller, graphId, async (trx) => {
        const removed = await groupQueries(trx, graphId).remove([groupId]);
        if (removed.length === 0) throw new AppError("group_not_found");
        return { answer: {}, change: () => ({ deleted_groups: [groupId] }) };
      });
    },
  };
}
