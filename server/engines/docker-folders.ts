import type Docker from "dockerode";
import { z } from "zod";

import type { ProjectFolders } from "../platform/project-folders.ts";
import { volumeName } from "./container.ts";
import { unlessMissing } from "./docker-client.ts";

const DiskUse = z.object({
  Volumes: z.array(z.object({ Name: z.string(), UsageData: z.object({ Size: z.number() }).nullish() })).nullish(),
});

/** A project has one volume, with its packages in it. */
export function dockerFolders(docker: Docker, installation: string): ProjectFolders {
  return {
    async measure(projects) {
      const { Volumes } = DiskUse.parse(await docker.df());
      const sizes = new Map(Volumes?.map(({ Name, UsageData }) => [Name, UsageData?.Size ?? unknownSize]));
      return projects.map(({ projectId }) => {
        const size = sizes.get(volumeName(installation, projectId)) ?? 0;
        return { projectId, volumes: size === unknownSize ? null : size, packages: 0 };
      });
    },

    async remove(id) {
      await unlessMissing(docker.getVolume(volumeName(installation, id)).remove());
    },
  };
}

/** What Docker says of a volume that it cannot measure. */
const unknownSize = -1;
