import type { Deployment, HookBody, HookMade } from "@miranda/contract/schemas/deployments/deployments.ts";
import { deployment as limits } from "@miranda/contract/limits.ts";

import { withAuditEvent } from "../../../platform/audit/audit-log.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Cipher } from "../../../platform/cipher.ts";
import { hashToken, randomToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { redrawPicture } from "../../auth/avatar-image.ts";
import { deploymentAuditEvent } from "../deployment-audit-events.ts";
import type { Deployments } from "../deployments-service.ts";
import { sharingQueries } from "./sharing-queries.ts";

interface Dependencies {
  db: Db;
  cipher: Pick<Cipher, "encrypt">;
  deployments: Pick<Deployments, "forManage" | "describe" | "changed">;
  publicUrl: string | undefined;
}

export type Sharing = ReturnType<typeof createSharing>;

/** The ways to a deployment that need no account, and its picture. */
export function createSharing({ db, cipher, deployments, publicUrl }: Dependencies) {
  const queries = sharingQueries(db);

  /** The form of either channel has this field. */
  function hasField({ production, staging }: Deployment, name: string): boolean {
    return [production, staging].some((release) => release?.form.fields.some((field) => field.name === name));
  }

  return {
    /** A new link. The one before opens nothing any more. */
    async makeLink(caller: Caller, graphId: string): Promise<Deployment> {
      const { deployment, projectId } = await deployments.forManage(caller, graphId, "manage");
      const event = deploymentAuditEvent("deployment.share", caller, { ...deployment, projectId }, { with: "link" });
      await withAuditEvent(db, event, (trx) => sharingQueries(trx).setLink(deployment.id, randomToken()));
      deployments.changed(deployment.id);
      return deployments.describe(caller, graphId);
    },

    async removeLink(caller: Caller, graphId: string): Promise<Deployment> {
      const { deployment, projectId } = await deployments.forManage(caller, graphId, "manage");
      const event = deploymentAuditEvent("deployment.unshare", caller, { ...deployment, projectId }, { with: "link" });
      await withAuditEvent(db, event, (trx) => sharingQueries(trx).setLink(deployment.id, null));
      deployments.changed(deployment.id);
      return deployments.describe(caller, graphId);
    },

    /** A new address for programs. Shown once: only a hash of its secret part is stored. */
    async makeHook(caller: Caller, graphId: string, { signed, field }: HookBody): Promise<HookMade> {
      const { deployment, projectId } = await deployments.forManage(caller, graphId, "manage");
      if (field && !hasField(await deployments.describe(caller, graphId), field))
        throw new AppError("bad_request", `There is no field “${field}”.`);
      const [address, key] = [randomToken(), signed ? randomToken() : null];
      const hook = {
        ...{ hash: hashToken(address), hint: address.slice(-4), field: field || null },
        secret: key === null ? null : cipher.encrypt(key),
      };
      const event = deploymentAuditEvent("deployment.share", caller, { ...deployment, projectId }, { with: "webhook" });
      await withAuditEvent(db, event, (trx) => sharingQueries(trx).setHook(deployment.id, hook));
      deployments.changed(deployment.id);
      return { address: `${publicUrl ?? ""}/api/v3/hooks/${address}`, secret: key };
    },

    async removeHook(caller: Caller, graphId: string): Promise<void> {
      const { deployment, projectId } = await deployments.forManage(caller, graphId, "manage");
      const event = deploymentAuditEvent(
        "deployment.unshare",
        caller,
        { ...deployment, projectId },
        { with: "webhook" },
      );
      await withAuditEvent(db, event, (trx) => sharingQueries(trx).setHook(deployment.id, null));
      deployments.changed(deployment.id);
    },

    async setPicture(caller: Caller, graphId: string, file: Buffer): Promise<Deployment> {
      const { deployment } = await deployments.forManage(caller, graphId, "release");
      const image = await redrawPicture(file, limits.picture);
      await queries.setPicture(deployment.id, { image, version: randomToken() });
      deployments.changed(deployment.id);
      return deployments.describe(caller, graphId);
    },

    async removePicture(caller: Caller, graphId: string): Promise<Deployment> {
      const { deployment } = await deployments.forManage(caller, graphId, "release");
      await queries.setPicture(deployment.id, null);
      deployments.changed(deployment.id);
      return deployments.describe(caller, graphId);
    },

    async picture(deploymentId: string, version: string): Promise<Buffer> {
      const picture = await queries.findPicture(deploymentId, version);
      if (!picture) throw new AppError("not_found");
      return picture;
    },
  };
}
