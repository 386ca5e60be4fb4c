import type { TeamRole } from "@miranda/contract/schemas/people/teams.ts";

export const teamRoles: Record<TeamRole, string> = { owner: "Owner", manager: "Manager", member: "Member" };
