import type Docker from "dockerode";

import type { ContainerSettings } from "../platform/settings/processor-settings.ts";
import { safely } from "../platform/errors/safely.ts";
import { unlessMissing, wordsOf } from "./docker-client.ts";
import { explainPull, readCredentials } from "./registry-credentials.ts";

const logEvery = 3_000;

type ImageSettings = Pick<ContainerSettings, "image" | "allowedImages">;

/** The image that a policy names, if it is allowed. Without a name: the installation's own. */
export function chooseImage({ image, allowedImages }: ImageSettings, wanted: string): string {
  if (wanted === "" || wanted === image) return image;
  const isAllowed = allowedImages.some((allowed) =>
    allowed.endsWith("*") ? wanted.startsWith(allowed.slice(0, -1)) : wanted === allowed,
  );
  if (isAllowed) return wanted;
  const others = allowedImages.length > 0 ? ` and ${allowedImages.join(", ")}` : "";
  throw new Error(`The image ${wanted} is not allowed here; allowed are ${image}${others}.`);
}

interface Progress {
  id?: string;
  status?: string;
  progressDetail?: { current?: number; total?: number };
}

/** Pulls an image that is missing, and logs the progress. */
export async function haveImage(
  docker: Docker,
  image: string,
  { dockerConfig }: Pick<ContainerSettings, "dockerConfig">,
  log: (line: string) => Promise<void>,
): Promise<void> {
  if (await unlessMissing(docker.getImage(image).inspect())) return;
  await log(`Pulling the image ${image}`);
  const layers = new Map<string, { current: number; total: number }>();
  let loggedAt = Date.now();
  let logging = Promise.resolve();
  const follow = ({ id, progressDetail, status }: Progress): void => {
    const { current, total } = progressDetail ?? {};
    if (id && status === "Downloading" && current !== undefined && total) layers.set(id, { current, total });
    if (Date.now() - loggedAt < logEvery) return;
    loggedAt = Date.now();
    const sum = (pick: "current" | "total") => [...layers.values()].reduce((all, layer) => all + layer[pick], 0) / 1e6;
    const line = `Pulling the image ${image}: ${sum("current").toFixed(0)} of ${sum("total").toFixed(0)} MB`;
    logging = logging.then(() => log(line)).catch(() => undefined);
  };
  const credentials = await readCredentials(dockerConfig, image);
  try {
    // A name without a tag would pull all tags.
    const name = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
    const stream = await docker.pull(name, { authconfig: credentials.auth });
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(
        stream,
        (error) => (error ? reject(error) : resolve()),
        safely(follow, (error) => reject(error)),
      );
    });
  } catch (error) {
    throw new Error(explainPull(image, wordsOf(error), credentials), { cause: error });
  }
  await logging;
  await log(`The image ${image} is here`);
}
