import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Artifacts } from "../../artifacts/artifacts-service.ts";
import type { Projects } from "../../projects/projects-service.ts";
import type { ModelsTrash } from "./trash-service.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "getProject">;
  trash: Pick<ModelsTrash, "empty">;
  artifacts: Pick<Artifacts, "removeUnnamed">;
}

export type EmptyTrash = ReturnType<typeof createEmptyTrash>;

/** Lets the owner of a project remove deleted models for good, so that their room is free before their days are over. */
export function createEmptyTrash({ db, projects, trash, artifacts }: Dependencies) {
  return async (caller: Caller, projectId: string): Promise<void> => {
    await projects.getProject(caller, projectId, "own");
    // Recorded first: what was removed cannot be brought back, so the record must be there in any case.
    await recordAuditEvent(db, { kind: "model.empty_trash", ...actorOf(caller), projectId });
    await trash.empty(projectId);
    await artifacts.removeUnnamed(projectId);
  };
}
