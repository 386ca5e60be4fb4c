import { z } from "zod";

const most = (fallback: number) => z.coerce.number().int().min(1).max(10_000_000).default(fallback);
const perMinute = (fallback: number) => z.coerce.number().int().min(0).max(10_000_000).default(fallback);

export const quotaEnvironment = {
  MIRANDA_PROJECTS_PER_ACCOUNT: most(1_000),
  MIRANDA_WORKFLOWS_PER_PROJECT: most(1_000),
  MIRANDA_NODES_PER_WORKFLOW: most(50_000),
  MIRANDA_TEMPLATES_PER_ACCOUNT: most(500),
  MIRANDA_SECRETS: most(200),
  MIRANDA_TOKENS_PER_ACCOUNT: most(100),
  MIRANDA_FILES_MB: most(500),
  MIRANDA_VERSIONS_MB: most(1_000),
  MIRANDA_MEMBERSHIP_CHANGES_PER_HOUR: most(200),
  MIRANDA_CALLS_PER_MINUTE: perMinute(6_000),
  MIRANDA_ANONYMOUS_CALLS_PER_MINUTE: perMinute(600),
};

/** How much one account, project or workflow may have, and how often it may call the server. */
export interface Quotas {
  projectsPerAccount: number;
  workflowsPerProject: number;
  nodesPerWorkflow: number;
  templatesPerAccount: number;
  /** Of one account, and of one project. */
  secrets: number;
  tokensPerAccount: number;
  /** Of all files that one account put into nodes. */
  fileBytes: number;
  /** Of all versions of one project, as they are stored. */
  versionBytes: number;
  /** Of members, teams and owners by one account. Each may notify other people. */
  membershipChangesPerHour: number;
  /** Of one account; 0 for no limit. */
  callsPerMinute: number;
  /** Of one address that is not signed in; 0 for no limit. */
  anonymousCallsPerMinute: number;
}

export function toQuotas(value: z.infer<z.ZodObject<typeof quotaEnvironment>>): Quotas {
  return {
    projectsPerAccount: value.MIRANDA_PROJECTS_PER_ACCOUNT,
    workflowsPerProject: value.MIRANDA_WORKFLOWS_PER_PROJECT,
    nodesPerWorkflow: value.MIRANDA_NODES_PER_WORKFLOW,
    templatesPerAccount: value.MIRANDA_TEMPLATES_PER_ACCOUNT,
    secrets: value.MIRANDA_SECRETS,
    tokensPerAccount: value.MIRANDA_TOKENS_PER_ACCOUNT,
    fileBytes: value.MIRANDA_FILES_MB * 1024 * 1024,
    versionBytes: value.MIRANDA_VERSIONS_MB * 1024 * 1024,
    membershipChangesPerHour: value.MIRANDA_MEMBERSHIP_CHANGES_PER_HOUR,
    callsPerMinute: value.MIRANDA_CALLS_PER_MINUTE,
    anonymousCallsPerMinute: value.MIRANDA_ANONYMOUS_CALLS_PER_MINUTE,
  };
}
