import { type Sample, SampleName } from "@miranda/contract/schemas/library/samples.ts";

import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { oneAtATime } from "../../platform/limits/quota-lock.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { Templates } from "../templates/templates-service.ts";
import { createSampleQueries } from "./samples-queries.ts";

export type Samples = ReturnType<typeof createSamples>;

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "create" | "change" | "remove">;
  graphs: Pick<Graphs, "create">;
  templates: Pick<Templates, "copyShipped">;
}

interface Plan {
  project: { name: string; description: string };
  workflow: { name: string; description: string };
  /** A shipped blueprint. */
  blueprint: string;
}

const plans: Record<SampleName, Plan> = {
  "waste-water": {
    project: {
      name: "Waste Water Management",
      description:
        "A sample of your own: change it, run it, or delete it. It knows the level of a basin six hours ahead.",
    },
    workflow: { name: "Level of the basin", description: "From readings to a prediction, a chart and a model." },
    blueprint: "basin-level",
  },
  iris: {
    project: {
      name: "Iris",
      description: "A sample of your own, with scikit-learn: three kinds of iris by their petals.",
    },
    workflow: { name: "Iris: your first model", description: "Needs packages from the internet. Run installs them." },
    blueprint: "first-model",
  },
};

/** Gives people a sample workflow that they can run at once. */
export function createSamples({ db, projects, graphs, templates }: Dependencies) {
  const queries = createSampleQueries(db);

  async function make(caller: Caller, sample: SampleName): Promise<Sample> {
    const plan = plans[sample];
    const { id: project_id } = await projects.create(caller, plan.project);
    try {
      // Private: otherwise the same sample would fill the list of public projects.
      await projects.change(caller, project_id, { visibility: "private" });
      const graph_id = await graphs.create(caller, { project_id, ...plan.workflow });
      await templates.copyShipped(caller, plan.blueprint, graph_id);
      await queries.keep(caller.accountId, sample, graph_id);
      return { sample, project_id, graph_id };
    } catch (error) {
      await projects.remove(caller, project_id);
      throw error;
    }
  }

  return {
    async list(caller: Caller): Promise<Sample[]> {
      const rows = await queries.list(caller.accountId);
      return rows.map((row) => ({ ...row, sample: SampleName.parse(row.sample) }));
    },

    /** The caller's copy. It is made when there is none, or when it was deleted. */
    open: (caller: Caller, sample: SampleName): Promise<Sample> =>
      oneAtATime({ what: "samples", owner: caller.accountId }, async () => {
        const found = await queries.find(caller.accountId, sample);
        return found ? { ...found, sample } : make(caller, sample);
      }),

    /** From now on, the home screen offers no sample and no tour starts by itself. */
    markOpened: (caller: Caller): Promise<void> => queries.markOpened(caller.accountId),
  };
}
