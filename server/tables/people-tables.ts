import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

interface TeamsTable {
  id: string;
  name: string;
  created_at: Timestamp;
}

interface TeamMembersTable {
  team_id: string;
  account_id: string;
  role: "owner" | "manager" | "member";
  created_at: Timestamp;
}

interface ProjectTeamsTable {
  project_id: string;
  team_id: string;
  role: "viewer" | "editor";
  created_at: Timestamp;
}

interface InvitationsTable {
  id: string;
  token_hash: Buffer;
  mailed_token_hash: Buffer | null;
  inviter_id: string;
  project_id: string | null;
  role: "viewer" | "editor" | null;
  email: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
  used_at: OptionalTimestamp;
  used_by: string | null;
  withdrawn_at: OptionalTimestamp;
}

interface ProjectTransfersTable {
  project_id: string;
  from_id: string;
  to_id: string;
  created_at: Timestamp;
  expires_at: Timestamp;
}

/** A view: somebody is in it once for each way into the project. */
interface ProjectPeopleView {
  project_id: string;
  account_id: string;
  role: "viewer" | "editor";
  created_at: Timestamp;
  /** Null for people who are members themselves. */
  team_id: string | null;
}

/** How people get into projects, besides as members of their own. */
export interface PeopleTables {
  project_people: ProjectPeopleView;
  teams: TeamsTable;
  team_members: TeamMembersTable;
  project_teams: ProjectTeamsTable;
  invitations: InvitationsTable;
  project_transfers: ProjectTransfersTable;
}
