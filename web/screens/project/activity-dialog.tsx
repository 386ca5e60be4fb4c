import type { Project } from "@miranda/contract/schemas/projects.ts";

import { AuditList } from "../../shell/audit/audit-list.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";

/** Who did what in the project, for its owner. */
export function ActivityDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title="Activity" description={`Who did what in ${project.name}.`} wide>
      <AuditList scope={project.id} />
    </Dialog>
  );
}
