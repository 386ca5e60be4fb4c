import { Plus } from "lucide-react";
import { toast } from "../../ui/overlay/toast.ts";

import type { Project } from "@miranda/contract/schemas/projects.ts";

import { useFollow } from "../../api/projects.ts";
import { Button, type ButtonLook } from "../../ui/button.tsx";

interface FollowButtonProps extends ButtonLook {
  project: Project;
  /** The id of the element that names the project. */
  describedBy?: string;
}

export function FollowButton({ project, describedBy, ...look }: FollowButtonProps) {
  const { following, toggle } = useFollow(project, (message) => toast.error(message));
  return (
    <Button {...look} aria-describedby={describedBy} onClick={toggle}>
      {following ? null : <Plus className="-ml-0.5 size-3.5" aria-hidden="true" />}
      {following ? "Unfollow" : "Follow"}
    </Button>
  );
}
