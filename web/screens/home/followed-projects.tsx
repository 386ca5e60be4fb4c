import { Compass } from "lucide-react";
import { Link } from "react-router";

import { useFollowedProjects } from "../../api/projects.ts";
import { CreatorLine } from "../../shell/project/creator.tsx";
import { ProjectCard } from "../../shell/project/project-card.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { Card } from "../../ui/layout/card.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import { homePreview } from "./home-preview.ts";
import { ProjectSection } from "./project-section.tsx";

export function FollowedProjects() {
  // Where there is no space beside the own projects, they are below them and as wide.
  const columns = useMedia("(min-width: 40rem) and (width < 64rem)") ? 2 : 1;
  return (
    <ProjectSection
      title="Followed Projects"
      link={
        <Link to="/designer/browse" className={buttonClasses({ size: "sm" })}>
          Browse
        </Link>
      }
      projects={useFollowedProjects()}
      columns={columns}
      renderCard={(project) => (
        <ProjectCard project={project} preview={homePreview(project)} footer={<CreatorLine project={project} />} />
      )}
      empty={
        <Card className="flex flex-col items-center px-6 py-8 text-center">
          <Compass className="size-5 text-ink-faint" strokeWidth={1.75} aria-hidden="true" />
          <p className="mt-2 text-ink-muted">You are not following any projects.</p>
          <Link to="/designer/browse" className="mt-1 font-medium text-accent-text hover:underline">
            Browse projects
          </Link>
        </Card>
      }
    />
  );
}
