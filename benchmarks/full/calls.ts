import type { TestClient } from "../../server/testing/test-client.ts";

export interface Call {
  name: string;
  path: string;
  /** Graphs, logs and downloads may be large. */
  isStreamed?: true;
}

interface Ids {
  graphId: string;
  projectId: string;
  jobId: string;
  runId: string;
  nodeId: number;
}

/** Every GET that a screen makes. */
export function callsOf({ graphId, projectId, jobId, runId, nodeId }: Ids): Call[] {
  return [
    { name: "who am I", path: "/api/v3/auth/" },
    { name: "access tokens", path: "/api/v3/auth/access_tokens" },
    { name: "own projects", path: "/api/v3/projects/?limit=100" },
    { name: "followed projects", path: "/api/v3/projects/following?limit=100" },
    { name: "browse", path: "/api/v3/projects/browse?limit=100" },
    { name: "browse, searched", path: "/api/v3/projects/browse?limit=100&query=forecast" },
    { name: "browse, searched for what is not there", path: "/api/v3/projects/browse?limit=100&query=zzzzzz" },
    { name: "projects to clone into", path: "/api/v3/projects/browse?include_own=true&writable=true&limit=100" },
    { name: "a project", path: `/api/v3/projects/${projectId}` },
    { name: "workflows of a project", path: `/api/v3/projects/${projectId}/graphs` },
    { name: "members", path: `/api/v3/projects/${projectId}/members` },
    { name: "workflows to clone", path: "/api/v3/graphs/browse?limit=100" },
    { name: "workflows to clone, searched", path: "/api/v3/graphs/browse?limit=100&query=train" },
    { name: "workflows to clone, not there", path: "/api/v3/graphs/browse?limit=100&query=zzzzzz" },
    { name: "a workflow", path: `/api/v3/graphs/${graphId}` },
    { name: "a graph", path: `/api/v3/graphs/${graphId}/graph?include_updates=true`, isStreamed: true },
    { name: "a node", path: `/api/v3/objects/${nodeId}` },
    { name: "commits of a node", path: `/api/v3/objects/${nodeId}/commits` },
    { name: "drafts of a graph", path: `/api/v3/graphs/${graphId}/drafts` },
    { name: "sessions", path: "/api/v3/jobs?log_max_length=1&log_lines=1" },
    { name: "the session of a graph", path: `/api/v3/graphs/${graphId}/processor` },
    { name: "a session", path: `/api/v3/jobs/${jobId}`, isStreamed: true },
    { name: "nodes of a session", path: `/api/v3/jobs/${jobId}/nodes` },
    { name: "outputs of a session", path: `/api/v3/jobs/${jobId}/outputs` },
    { name: "packages of a session", path: `/api/v3/jobs/${jobId}/packages` },
    { name: "runs", path: "/api/v3/runs?limit=100" },
    { name: "runs that ended badly", path: "/api/v3/runs?limit=100&state=bad" },
    { name: "runs that are alive", path: "/api/v3/runs?limit=100&state=alive" },
    { name: "runs of a person", path: "/api/v3/runs?limit=100&by=heavy" },
    { name: "runs of a month", path: "/api/v3/runs?limit=100&from=2026-03-01T00:00:00Z&until=2026-04-01T00:00:00Z" },
    { name: "runs, searched", path: "/api/v3/runs?limit=100&query=train" },
    { name: "runs, not there", path: "/api/v3/runs?limit=100&query=zzzzzz" },
    { name: "runs of a project", path: `/api/v3/runs?limit=100&project_id=${projectId}` },
    {
      name: "failed runs of a project, searched",
      path: `/api/v3/runs?project_id=${projectId}&state=failed&query=train`,
    },
    { name: "runs of a workflow", path: `/api/v3/runs?limit=100&graph_id=${graphId}` },
    { name: "runs of a session", path: `/api/v3/runs?limit=100&job_id=${jobId}` },
    { name: "a run", path: `/api/v3/runs/${runId}`, isStreamed: true },
    { name: "outputs of a run", path: `/api/v3/runs/${runId}/outputs` },
    { name: "the log of a run", path: `/api/v3/runs/${runId}/logs`, isStreamed: true },
    { name: "models", path: "/api/v3/models/?limit=200" },
    { name: "models, best first", path: "/api/v3/models/?limit=200&sort=loss&direction=asc" },
    { name: "models by workflow", path: "/api/v3/models/?limit=200&sort=graph&direction=asc" },
    { name: "models, searched", path: "/api/v3/models/?limit=200&id=model-12&graph=train" },
    { name: "models, not there", path: "/api/v3/models/?limit=200&id=zzzzzz" },
    { name: "prefabs", path: "/api/v3/prefabs" },
    { name: "blueprints", path: "/api/v3/blueprints" },
    { name: "search over everything", path: "/api/v3/search?query=train" },
    { name: "search over everything, two letters", path: "/api/v3/search?query=tr" },
    { name: "search over everything, not there", path: "/api/v3/search?query=zzzzzz" },
    { name: "own templates", path: "/api/v3/templates" },
    { name: "secrets", path: "/api/v3/secrets" },
    { name: "what deleting the account deletes", path: "/api/v3/auth/account/deletion" },
  ];
}

/** Makes a call and reads its answer. The number of bytes. */
export async function answersOf(client: TestClient, path: string): Promise<number> {
  const answer = await client.get(path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return Buffer.byteLength(answer.text);
}
