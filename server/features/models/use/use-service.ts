import { formText } from "@miranda/contract/limits.ts";
import type {
  DeployedModel,
  DeployModelBody,
  InsertedModel,
  InsertModelBody,
  ModelCode,
} from "@miranda/contract/schemas/models/use.ts";
import { text } from "node:stream/consumers";

import { modelFiles } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Code } from "../../code/code-service.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { Nodes } from "../../nodes/nodes-service.ts";
import type { Versions } from "../../versions/versions-service.ts";
import { deploymentAddress, nodeAddress } from "../addresses.ts";
import type { ModelAccess } from "../model-access.ts";
import { versionFolder } from "../versions/version-folder.ts";
import type { VersionRow } from "../versions/version-rows-queries.ts";
import type { ArtifactReading, ModelVersions } from "../versions/versions-service.ts";
import { type CodeWish, formCode, modelUri, nodeCode } from "./model-code.ts";

interface Dependencies {
  db: Db;
  access: ModelAccess;
  artifacts: ArtifactReading;
  graphs: Pick<Graphs, "getGraph" | "create" | "remove">;
  nodes: Pick<Nodes, "create">;
  code: Pick<Code, "commit">;
  versions: Pick<Versions, "create">;
  models: Pick<ModelVersions, "getRow" | "mlmodelOf">;
}

export type ModelUse = ReturnType<typeof createModelUse>;

/** A version as a node of a workflow, or as a workflow that is ready to be deployed. */
export function createModelUse(deps: Dependencies) {
  const { db, access, artifacts, graphs, nodes, code, versions, models } = deps;

  /** What the model was made with, from the file beside it. Only plain names with a version. */
  async function packagesOf(projectId: string, row: VersionRow): Promise<string[]> {
    const folder = versionFolder(row);
    if (folder === undefined) return [];
    try {
      const file = await artifacts.get(projectId, `${folder}/requirements.txt`);
      if (file.bytes > modelFiles.mlmodelMax) return [];
      const lines = (await text(await file.open())).split("\n").map((line) => line.trim());
      return lines.filter((line) => plainRequirement.test(line)).slice(0, modelFiles.packagesMax);
    } catch (error) {
      if (error instanceof AppError) return [];
      throw error;
    }
  }

  async function wishOf(caller: Caller, modelId: string, number: number, alias: string | undefined): Promise<CodeWish> {
    const { model, row } = await models.getRow(caller, modelId, number);
    if (alias !== undefined && !row.aliases.includes(alias)) throw new AppError("alias_not_found");
    const file = await models.mlmodelOf(model.project_id, row);
    if (!file?.flavors.includes("python_function")) throw new AppError("model_not_loadable");
    const packages = await packagesOf(model.project_id, row);
    const { signature, mlflowVersion } = file;
    return { modelName: model.name, number, alias, packages, mlflowVersion, signature };
  }

  /** Beside what is there already. */
  async function freePosition(graphId: string): Promise<{ x: number; y: number }> {
    const found = await db
      .selectFrom("nodes")
      .select(({ fn }) => [fn.max<number | null>("x").as("x"), fn.min<number | null>("y").as("y")])
      .where("graph_id", "=", graphId)
      .executeTakeFirst();
    const { x = null, y = null } = found ?? {};
    return x === null ? { x: 0, y: 0 } : { x: x + nodeGap, y: y ?? 0 };
  }

  async function addNode(caller: Caller, graphId: string, name: string, uri: string, source: string): Promise<number> {
    const position = await freePosition(graphId);
    const body = { project_id: graphId, name: name.slice(0, formText.nameMax), description: `Loads ${uri}.`, position };
    const { metadata_id } = await nodes.create(caller, "CODE_BLOCK", body);
    await code.commit(caller, metadata_id, { message: `Use ${uri}`.slice(0, 500), source_code: source });
    return metadata_id;
  }

  return {
    async code(caller: Caller, modelId: string, number: number, alias: string | undefined): Promise<ModelCode> {
      return { source_code: nodeCode(await wishOf(caller, modelId, number, alias)) };
    },

    async insert(
      caller: Caller,
      modelId: string,
      number: number,
      { graph_id: graphId, alias }: InsertModelBody,
    ): Promise<InsertedModel> {
      const wish = await wishOf(caller, modelId, number, alias);
      const { project_id: modelProject } = await access.getModel(caller, modelId, "read");
      const { project_id: projectId } = await graphs.getGraph(caller, graphId, "write");
      // A processor's token reaches the models of its own project only.
      if (projectId !== modelProject) throw new AppError("graph_not_found");
      const name = `Predict ${wish.modelName}`;
      const node = await addNode(caller, graphId, name, modelUri(wish), nodeCode(wish));
      return { graph_id: graphId, wob_key: node, name, address: nodeAddress(projectId, graphId, node) };
    },

    async deploy(
      caller: Caller,
      modelId: string,
      number: number,
      { name: given, alias }: DeployModelBody,
    ): Promise<DeployedModel> {
      const { project_id: projectId } = await access.getVersion(caller, modelId, number, "write");
      const wish = await wishOf(caller, modelId, number, alias);
      const uri = modelUri(wish);
      const name = given ?? `${wish.modelName} ${alias ?? number}`.slice(0, formText.nameMax);
      const graphId = await graphs.create(caller, {
        project_id: projectId,
        name,
        description: `Predicts with ${uri}.`,
      });
      try {
        await addNode(caller, graphId, `Predict ${wish.modelName}`, uri, formCode(wish));
        const wished = {
          name: `Model ${alias ?? number}`,
          message: `Predicts with ${uri}.`,
          publish: true,
          left_out: [],
        };
        const { number: version } = await versions.create(caller, graphId, wished);
        return {
          project_id: projectId,
          graph_id: graphId,
          name,
          version: version ?? 1,
          address: deploymentAddress(projectId, graphId),
        };
      } catch (error) {
        // Half a workflow would be of no use.
        await graphs.remove(caller, graphId);
        throw error;
      }
    },
  };
}

const nodeGap = 360;
const plainRequirement =
  /^[a-z0-9][\w.-]{0,80}(?:\[[\w,.-]{1,80}\])?(?:[=<>~!]=?=?[\w.+!*]{1,40})?(?:,[=<>~!]=?=?[\w.+!*]{1,40}){0,3}$/i;
