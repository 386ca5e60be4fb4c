import type { ProgressBar } from "@miranda/contract/protocol/worker.ts";
import type {
  Call,
  CallInDesigner,
  CallPage,
  CallsQuery,
  CallState,
  CallSummary,
  CallVia,
} from "@miranda/contract/schemas/deployments/calls.ts";
import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";

import { graphFiles } from "../../model/graph-files-queries.ts";
import { hashToken, randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { CallsOf } from "../call-inputs/call-files-queries.ts";
import type { CallInputs, Given } from "../call-inputs/call-inputs-service.ts";
import type { CallRow, Calls } from "../calls/calls-service.ts";
import type { Deployments, SeenDeployment, UsedDeployment, Who } from "../deployments/deployments-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import { type CallDetails, type CallHead, callApiQueries, type OutputRow } from "./call-api-queries.ts";
import { toCall, toSummary, type Viewer } from "./call-view.ts";
import { downloadOf, fileIn, type OutputFile } from "./output-files.ts";

/** Somebody who uses a deployment. A visitor without an account also has a secret of their own. */
export interface User extends Who {
  visitorHash?: Buffer | undefined;
}

/** A call that somebody may see. */
export interface SeenCall {
  row: CallDetails;
  viewer: Viewer;
  seen: Pick<SeenDeployment, "deployment" | "right">;
}

interface Dependencies {
  db: Db;
  deployments: Pick<Deployments, "forUse" | "forView" | "forManage">;
  calls: Pick<Calls, "admit" | "make" | "cancel" | "ended">;
  inputs: CallInputs;
  notifications: Pick<NotificationsFeature, "add">;
  /** The bars of nodes that run now, by the number of the node. */
  barsOf: (jobId: string) => ReadonlyMap<number, ProgressBar>;
}

/** How long an answer may be given by rights that were checked before, in milliseconds. */
const rightsLast = 1_000;
const noBars: ReadonlyMap<number, ProgressBar> = new Map();

export type CallApi = ReturnType<typeof createCallApi>;

/** What callers do with calls: make, follow, cancel, share and report them. */
export function createCallApi(deps: Dependencies) {
  const { db, deployments, calls } = deps;
  const queries = callApiQueries(db);

  /** A call that is not there, and one that somebody may not see, are the same. */
  async function getCall(user: User, nameOrId: string, id: string): Promise<SeenCall> {
    return seenCall(user, await deployments.forView(user, nameOrId), id);
  }

  async function seenCall(user: User, seen: SeenCall["seen"], id: string): Promise<SeenCall> {
    const row = await queries.find(seen.deployment.id, id);
    const viewer = row && viewerOf(user, seen, row);
    if (!row || !viewer) throw new AppError("call_not_found");
    return { row, viewer, seen };
  }

  async function getOwnCall(user: User, nameOrId: string, id: string): Promise<SeenCall> {
    const call = await getCall(user, nameOrId, id);
    if (!call.viewer.isOwn) throw new AppError("call_not_found");
    return call;
  }

  async function describe(row: CallDetails, viewer: Viewer): Promise<Call> {
    const run = runOf(row);
    return view(row, viewer, run ? await queries.outputs(run, row.form) : []);
  }

  async function view(row: CallDetails, viewer: Viewer, outputs: readonly OutputRow[]): Promise<Call> {
    const run = runOf(row);
    const bars = run && row.ended_at === null ? deps.barsOf(run.jobId) : noBars;
    return toCall(row, { outputs, bars }, viewer);
  }

  async function outputFile(row: CallDetails, number: number, format: string | undefined): Promise<OutputFile> {
    const run = runOf(row);
    const [output] = run ? await queries.outputs(run, row.form, { only: number }) : [];
    if (!run || !output) throw new AppError("file_not_found");
    const facts = format === undefined ? fileIn(output.data) : null;
    const content = facts ? await queries.outputContent(run, output) : undefined;
    const file = facts && content ? { ...facts, content } : downloadOf(output.label, output.data, format);
    if (!file) throw new AppError("file_not_found");
    return file;
  }

  async function getShared(share: string): Promise<CallDetails> {
    const row = await queries.findShared(hashToken(share));
    if (!row) throw new AppError("share_not_found");
    return row;
  }

  return {
    getCall,
    describe,

    /** A call as lists show it. */
    async summary(user: User, nameOrId: string, id: string): Promise<CallSummary> {
      const { row, viewer } = await getCall(user, nameOrId, id);
      return toSummary(row, viewer);
    },

    /** Without its outputs, which may be large. */
    outline: (row: CallDetails, viewer: Viewer): Promise<Call> => view(row, viewer, []),

    forUse: (user: User, nameOrId: string, channel: Channel): Promise<UsedDeployment> =>
      deployments.forUse(user, nameOrId, channel),

    /** Makes a call of a deployment that the user may use. */
    async make(
      user: User,
      used: UsedDeployment,
      given: Given,
      { via, key }: { via: CallVia; key?: string | undefined },
    ): Promise<CallRow> {
      const { deployment, release, channel } = used;
      const { accountId, deploymentToken } = user;
      // A visitor's files count to the owner, who lets them in.
      const payerId = accountId ?? deployment.owner_id;
      if (payerId === null) throw new AppError("deployment_ownerless");
      const caller = callsOf(user);
      const visitorHash = accountId === null ? (user.visitorHash ?? null) : null;
      // Tokens of one account are different callers. No key that is sent has a space.
      const ownKey = key !== undefined && deploymentToken ? `${deploymentToken.id} ${key}` : key;
      const place = { deploymentId: deployment.id, fields: release.form.fields, caller, payerId };
      const { inputs, files, bodyHash } = await deps.inputs.read(place, given, () =>
        calls.admit(deployment, { accountId, visitorHash }, ownKey),
      );
      return calls.make({
        deployment,
        release,
        channel,
        via,
        accountId,
        visitorHash,
        inputs,
        files,
        tokenId: deploymentToken?.id ?? null,
        scheduleId: null,
        idempotency: ownKey === undefined ? undefined : { key: ownKey, bodyHash },
      });
    },

    /** A call that was made just now, once it has ended, or as it is after this time. */
    async wait(user: User, used: UsedDeployment, made: CallRow, seconds: number, signal: AbortSignal): Promise<Call> {
      const began = Date.now();
      if (seconds > 0 && made.ended_at === null) await calls.ended(made.id, seconds * 1_000, signal);
      // Whoever waited longer may have lost the right meanwhile.
      const isFresh = Date.now() - began < rightsLast;
      const { row, viewer } = await (isFresh
        ? seenCall(user, used, made.id)
        : getCall(user, used.deployment.id, made.id));
      return describe(row, viewer);
    },

    async get(user: User, nameOrId: string, id: string): Promise<Call> {
      const { row, viewer } = await getCall(user, nameOrId, id);
      return describe(row, viewer);
    },

    async listOwn(user: User, nameOrId: string, query: CallsQuery): Promise<CallPage> {
      const seen = await deployments.forView(user, nameOrId);
      const caller = callsOf(user);
      if (!caller) return { calls: [], next: null };
      const rows = await queries.list({ deploymentId: seen.deployment.id, caller, ...filterOf(query) });
      return toPage(rows, query.limit, (row) => viewerOf(user, seen, row));
    },

    /** Every call, for those who may read the workflow. Of the calls of others, readers learn states and counts. */
    async listAll(caller: Caller, graphId: string, query: CallsQuery): Promise<CallPage> {
      const { deployment, right } = await deployments.forManage(caller, graphId, "read");
      const rows = await queries.list({ deploymentId: deployment.id, caller: undefined, ...filterOf(query) });
      return toPage(rows, query.limit, (row) => {
        const isOwn = row.account_id === caller.accountId;
        const maySeeContent = isOwn || right !== "read";
        return { mayRead: maySeeContent, maySeeInputs: maySeeContent, isOwn };
      });
    },

    /** Callers end their own calls, and editors everybody's. */
    async cancel(user: User, nameOrId: string, id: string): Promise<Call> {
      const seen = await deployments.forView(user, nameOrId);
      const row = await queries.find(seen.deployment.id, id);
      if (!row) throw new AppError("call_not_found");
      const mayEnd = viewerOf(user, seen, row) !== undefined;
      if (!mayEnd) throw new AppError(seen.right === "read" ? "project_read_only" : "call_not_found");
      if (row.ended_at !== null) throw new AppError("call_ended");
      await calls.cancel(id);
      const now = await queries.find(seen.deployment.id, id);
      if (!now) throw new AppError("call_not_found");
      const viewer = viewerOf(user, seen, now);
      if (!viewer) throw new AppError("call_not_found");
      return describe(now, viewer);
    },

    async file(user: User, nameOrId: string, id: string, number: number, format: string | undefined) {
      const { row } = await getCall(user, nameOrId, id);
      return outputFile(row, number, format);
    },

    /** A file that the caller sent. */
    async sentFile(user: User, nameOrId: string, id: string, field: string): Promise<OutputFile> {
      const { row, viewer } = await getCall(user, nameOrId, id);
      const value = Object.hasOwn(row.inputs, field) ? FileValue.safeParse(row.inputs[field]) : undefined;
      if (!viewer.maySeeInputs || !value?.success) throw new AppError("file_not_found");
      const content = await deps.inputs.findFile(id, value.data.file);
      if (!content) throw new AppError("file_not_found");
      return { name: value.data.name, type: value.data.type, content };
    },

    async share(user: User, nameOrId: string, id: string): Promise<{ share: string }> {
      const { row } = await getOwnCall(user, nameOrId, id);
      if (row.share !== null) return { share: row.share };
      const token = randomToken();
      await queries.setShare(id, { token, hash: hashToken(token) });
      return { share: token };
    },

    async unshare(user: User, nameOrId: string, id: string): Promise<void> {
      await getOwnCall(user, nameOrId, id);
      await queries.setShare(id, null);
    },

    /** For everybody who has the address. What was given stays with the caller. */
    async shared(share: string): Promise<Call> {
      return describe(await getShared(share), { mayRead: false, maySeeInputs: false, isOwn: false });
    },

    async sharedFile(share: string, number: number, format: string | undefined): Promise<OutputFile> {
      return outputFile(await getShared(share), number, format);
    },

    /** Tells the owner of the deployment, once for each call. */
    async report(user: User, nameOrId: string, id: string, message: string): Promise<void> {
      const { row, seen } = await getOwnCall(user, nameOrId, id);
      const { owner_id, project_id, title } = seen.deployment;
      const by = row.username ?? "A visitor";
      const publish = await db.transaction().execute(async (trx) => {
        const isNew = await callApiQueries(trx).setReported(trx, id);
        if (!isNew || owner_id === null) return undefined;
        return deps.notifications.add(trx, {
          accountId: owner_id,
          kind: "call_reported",
          ...(row.job_id !== null && { runId: id }),
          projectId: project_id,
          title: `${by} reports a problem with ${title}`,
          body: message || reportWords(row.state),
        });
      });
      await publish?.();
    },

    /** For editors: what to open in the Designer. The workflow may then read the files of the call. */
    async inDesigner(user: User, nameOrId: string, id: string): Promise<CallInDesigner> {
      const seen = await deployments.forView(user, nameOrId);
      if (seen.right === "use") throw new AppError("call_not_found");
      if (seen.right === "read") throw new AppError("project_read_only");
      const { row } = await seenCall(user, seen, id);
      const version = await queries.version(row.version_id);
      if (!version) throw new AppError("version_not_found");
      const values = row.form.fields
        .filter(({ name }) => Object.hasOwn(row.inputs, name))
        .map(({ name, wob_key, attribute }) => ({ wob_key, attribute, value: row.inputs[name] }));
      for (const { value } of values) {
        const file = FileValue.safeParse(value);
        if (file.success && (await deps.inputs.findFile(id, file.data.file)))
          await graphFiles(db).add(seen.deployment.graph_id, file.data.file);
      }
      const { project_id, graph_id } = seen.deployment;
      return { project_id, graph_id, version, values, failed_node: row.failed_node, state: row.state };
    },

    outputsAfter: async (row: CallDetails, after: number): Promise<OutputRow[]> => {
      const run = runOf(row);
      return run ? queries.outputs(run, row.form, { after }) : [];
    },

    countOutputs: async (row: CallDetails): Promise<number> => {
      const run = runOf(row);
      return run ? queries.countOutputs(run) : 0;
    },
  };
}

/** Whose calls a user finds again. A token finds only those that were made with it. */
function callsOf({ accountId, deploymentToken, visitorHash }: User): CallsOf | undefined {
  if (deploymentToken) return { tokenId: deploymentToken.id };
  if (accountId !== null) return { accountId };
  return visitorHash && { visitorHash };
}

function viewerOf(user: User, { right }: Pick<SeenDeployment, "right">, row: CallHead): Viewer | undefined {
  const caller = callsOf(user);
  const isOwn =
    caller !== undefined &&
    ("tokenId" in caller
      ? row.token_id === caller.tokenId
      : "accountId" in caller
        ? row.account_id === caller.accountId
        : row.account_id === null && row.visitor_hash?.equals(caller.visitorHash) === true);
  const mayRead = right !== "use";
  const mayChange = right === "release" || right === "manage";
  if (!isOwn && (!mayChange || user.deploymentToken || user.onlyDeployment)) return undefined;
  return { mayRead, maySeeInputs: true, isOwn };
}

function runOf({ job_id, run_number }: CallDetails): { jobId: string; number: number } | undefined {
  return job_id === null || run_number === null ? undefined : { jobId: job_id, number: run_number };
}

function filterOf({ state, via, schedule_id, after, limit }: CallsQuery) {
  return { state, via, scheduleId: schedule_id, after, limit: limit + 1 };
}

function toPage(rows: readonly CallHead[], limit: number, viewerFor: (row: CallHead) => Viewer | undefined): CallPage {
  const shown = rows.slice(0, limit);
  const calls = shown.flatMap((row) => {
    const viewer = viewerFor(row);
    return viewer ? [toSummary(row, viewer)] : [];
  });
  return { calls, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

function reportWords(state: CallState): string {
  return state === "done" ? "They are not happy with the result." : `The state of their call is “${state}”.`;
}
