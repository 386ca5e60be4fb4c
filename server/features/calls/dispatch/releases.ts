import type { CallOrder } from "@miranda/contract/protocol/agent.ts";
import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";

import { callDispatch as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { demandOf } from "../../processors/agent/graph-for-agent.ts";
import type { VersionForRun } from "../../versions/versions-service.ts";

/** A release as sessions serve it. It never changes, so it is read once. */
export interface ServedRelease {
  id: string;
  versionId: string;
  form: ReleaseForm;
  /** The nodes of its version, with their names. */
  names: ReadonlyMap<number, string>;
  demand: ReturnType<typeof demandOf>;
}

interface Dependencies {
  db: Db;
  versionForRun: VersionForRun;
}

/** A release in memory. Undefined when it is deleted. */
export type FindRead = (id: string) => ServedRelease | undefined;

/** A transaction needs a release that is not in memory. */
class Unread extends Error {
  readonly releaseId: string;

  constructor(releaseId: string) {
    super(`The release ${releaseId} is not read yet.`);
    this.releaseId = releaseId;
  }
}

export type Releases = ReturnType<typeof createReleases>;

export function createReleases({ db, versionForRun }: Dependencies) {
  const known = new Map<string, { reading: Promise<ServedRelease | undefined>; release: ServedRelease | undefined }>();

  async function read(id: string): Promise<ServedRelease | undefined> {
    const row = await db
      .selectFrom("releases")
      .innerJoin("deployments", "deployments.id", "releases.deployment_id")
      .select(["releases.version_id", "releases.form", "deployments.graph_id"])
      .where("releases.id", "=", id)
      .executeTakeFirst();
    if (!row) return undefined;
    const { graph } = await versionForRun(row.graph_id, row.version_id);
    const names = new Map(Object.values(graph.nodes).map(({ metadata_id, name }) => [metadata_id, name]));
    return { id, versionId: row.version_id, form: row.form, names, demand: demandOf(graph) };
  }

  /** Undefined when it is deleted. */
  function find(id: string): Promise<ServedRelease | undefined> {
    const found = known.get(id);
    if (found) return found.reading;
    const reading = read(id);
    const entry = { reading, release: undefined as ServedRelease | undefined };
    const forget = (): void => {
      if (known.get(id) === entry) known.delete(id);
    };
    known.set(id, entry);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size > limits.releasesKnown) known.delete(oldest);
    // A release that cannot be read now may be read later.
    reading.then((release) => (release ? (entry.release = release) : forget()), forget);
    return reading;
  }

  return {
    find,

    /**
     * For work in a transaction. It finds only what is in memory: to read it takes another connection, and when all of them
     * are in such transactions, each waits for the others. What is missing is read after the work, which then begins again.
     */
    async whenRead<T>(work: (find: FindRead) => Promise<T>): Promise<T> {
      const read = new Map<string, ServedRelease | undefined>();
      const findRead: FindRead = (id) => {
        const release = known.get(id)?.release ?? read.get(id);
        if (!release && !read.has(id)) throw new Unread(id);
        return release;
      };
      for (;;) {
        try {
          return await work(findRead);
        } catch (error) {
          if (!(error instanceof Unread)) throw error;
          read.set(error.releaseId, await find(error.releaseId));
        }
      }
    },
  };
}

/** What a call brings to the session. A field that it does not give has the default of the form, or the release's value. */
export function orderOf({ form, names }: ServedRelease, inputs: Record<string, unknown>): CallOrder {
  const values: CallOrder["values"] = {};
  for (const { name, wob_key, attribute, default: given } of form.fields) {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : given;
    if (value === undefined || (value === null && !Object.hasOwn(inputs, name))) continue;
    const ofNode = (values[wob_key] ??= {});
    ofNode[attribute] = value;
  }
  const asked = [...form.fields, ...form.outputs].map(({ wob_key }) => wob_key);
  // Without any, a second call would find nothing that has changed and do nothing.
  const always = asked.length > 0 ? [...new Set(asked)] : [...names.keys()];
  const outputs = form.outputs.flatMap(({ wob_key, transmitter }) =>
    transmitter === null ? [] : [{ node: wob_key, transmitter }],
  );
  return { values, always, outputs };
}
