import { Link, useParams } from "react-router";

import { graphAddress } from "../../../api/graphs.ts";
import { type Imported, ImportNotes } from "../../../panels/import-notes.tsx";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";

interface ImportedDialogProps {
  imported: Imported;
  onClose: () => void;
}

/** Says what a dropped GraphML file lost. The same is shown where files are imported. */
export function ImportedDialog({ imported: { id, name, report }, onClose }: ImportedDialogProps) {
  const { projectId = "" } = useParams();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${name} is imported`}
      description="It is a workflow of this project. Not everything in the file could be kept as it was."
      footer={
        <>
          <Button onClick={onClose}>Stay here</Button>
          <Link to={graphAddress(projectId, id)} className={buttonClasses({ variant: "primary" })}>
            Open workflow
          </Link>
        </>
      }
    >
      <ImportNotes report={report} />
    </Dialog>
  );
}
