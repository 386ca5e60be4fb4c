interface Listed {
  following: boolean;
  created_by: { you: boolean; first_name: string };
}

export interface ProjectGroups<Project> {
  yours: Project[];
  followed: Project[];
  shared: Project[];
}

/** Puts each project into one group: own projects first, even when followed. */
export function groupProjects<Project extends Listed>(projects: readonly Project[]): ProjectGroups<Project> {
  const groups: ProjectGroups<Project> = { yours: [], followed: [], shared: [] };
  for (const project of projects) {
    if (project.created_by.you) groups.yours.push(project);
    else if (project.following) groups.followed.push(project);
    else groups.shared.push(project);
  }
  return groups;
}

export function byline(project: Listed): string {
  return `By ${project.created_by.you ? "You" : project.created_by.first_name}`;
}
