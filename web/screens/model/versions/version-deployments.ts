import type { ModelDetails, ModelVersion } from "@miranda/contract/schemas/models/versions.ts";

type Used = Pick<ModelDetails, "name" | "latest_version" | "deployments">;

/** Deployments whose code loads this version: by its number, an alias or its stage, or as the latest. */
export function deploymentsOf(
  { name, latest_version, deployments }: Used,
  { number, aliases, stage }: Pick<ModelVersion, "number" | "aliases" | "stage">,
): ModelDetails["deployments"] {
  const names = [`/${number}`, ...aliases.map((alias) => `@${alias}`), `/${stage}`];
  if (number === latest_version) names.push("/latest", "@latest");
  const addresses = new Set(names.map((one) => `models:/${name}${one}`));
  return deployments.filter(({ uri }) => addresses.has(uri));
}
