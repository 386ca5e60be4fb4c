// Where things are in the product.

export const modelAddress = (modelId: string, number?: number): string =>
  `/designer/models/${modelId}${number === undefined ? "" : `?version=${number}`}`;

export const runAddress = (runId: string): string => `/designer/runs/${runId}`;

/** The page of a run that a client made. */
export const trackedRunAddress = (projectId: string, experiment: number, runId: string): string =>
  `/designer/projects/${projectId}/experiments/${experiment}/runs/${runId.replaceAll("-", "")}`;

const graphAddress = (projectId: string, graphId: string): string =>
  `/designer/projects/${projectId}/graphs/${graphId}`;

export const nodeAddress = (projectId: string, graphId: string, node: number): string =>
  `${graphAddress(projectId, graphId)}/code/${node}`;

export const commitAddress = (projectId: string, graphId: string, node: number, commitId: string): string =>
  `${nodeAddress(projectId, graphId, node)}/history/${commitId}`;

export const versionAddress = (
  projectId: string,
  graphId: string,
  version: { id: string; number: number | null },
): string => `${graphAddress(projectId, graphId)}/history?version=${version.number ?? version.id}`;

export const deploymentAddress = (projectId: string, graphId: string): string =>
  `/designer/projects/${projectId}/deployments/${graphId}`;
