import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";

interface Named {
  first_name: string;
  last_name: string;
  username: string;
}

export function fullName({ first_name, last_name, username }: Named): string {
  return `${first_name} ${last_name}`.trim() || username;
}

export const roleNames: Record<ProjectAccess, string> = { owner: "Owner", editor: "Editor", viewer: "Viewer" };
