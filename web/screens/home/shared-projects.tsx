import { roleNames } from "../../format/person-names.ts";
import type { ProjectPagesQuery } from "../../api/projects.ts";
import { CreatorLine } from "../../shell/project/creator.tsx";
import { ProjectCard } from "../../shell/project/project-card.tsx";
import { Badge } from "../../ui/badge.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import { homePreview } from "./home-preview.ts";
import { ProjectSection } from "./project-section.tsx";

/** Other people's projects that this account is in. */
export function SharedProjects({ projects }: { projects: ProjectPagesQuery }) {
  const columns = useMedia("(min-width: 40rem)") ? 2 : 1;
  return (
    <ProjectSection
      title="Shared with you"
      link={null}
      projects={projects}
      columns={columns}
      renderCard={(project) => (
        <ProjectCard
          project={project}
          preview={homePreview(project)}
          footer={
            <span className="flex w-full min-w-0 items-center justify-between gap-2">
              <CreatorLine project={project} />
              <Badge>{roleNames[project.access]}</Badge>
            </span>
          }
        />
      )}
      empty={null}
    />
  );
}
