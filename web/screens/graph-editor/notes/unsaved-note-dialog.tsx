import { useState } from "react";

import { noteSize } from "@miranda/contract/graph/layout/card-layout.ts";
import { formText } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { errorScreen } from "../../../limits.ts";
import { logWarning } from "../../../log.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { TextAreaField } from "../../../ui/form/field.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { useEditor, useViewOnly } from "../editor-context.tsx";
import type { UnsavedReason } from "../editor-state.ts";
import { pastedNote } from "./pasted-note.ts";

interface UnsavedNoteDialogProps {
  note: Node;
  text: string;
  reason: UnsavedReason;
  onClose: () => void;
}

const titles: Readonly<Record<UnsavedReason, string>> = {
  deleted: "This note was deleted",
  locked: "This note was locked",
  "view-only": "You can no longer change this workflow",
  "too-long": "The text of this note is too long",
  refused: "The text of this note was not stored",
};

/** What somebody wrote in a note that was deleted or locked meanwhile. It stays here to be copied, or becomes a note. */
export function UnsavedNoteDialog({ note, text: written, reason, onClose }: UnsavedNoteDialogProps) {
  const { actions } = useEditor();
  const viewOnly = useViewOnly();
  const [text, setText] = useState(written);
  const [busy, setBusy] = useState(false);

  async function add(): Promise<void> {
    setBusy(true);
    const made = { ...pastedNote(text), name: note.name, body: noteSize(note.body) };
    const at = reason === "deleted" ? note.position : undefined;
    const isAdded = await actions.addSplit({ nodes: [made], edges: [] }, at);
    setBusy(false);
    if (isAdded) onClose();
  }

  return (
    <Dialog
      open
      firm
      onOpenChange={onClose}
      title={titles[reason]}
      description="What you wrote stays here to be copied."
      footer={
        <>
          <CopyButton
            text={text}
            confirmFor={errorScreen.copiedFor}
            onFailure={(cause) => logWarning("The text could not be copied.", cause)}
          />
          <Button onClick={onClose}>Discard</Button>
          {viewOnly ? null : (
            <Button variant="primary" busy={busy} onClick={() => void add()}>
              Make a new note
            </Button>
          )}
        </>
      }
    >
      <TextAreaField
        label="Your text"
        rows={8}
        value={text}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        maxLength={formText.descriptionMax}
        onChange={(event) => setText(event.target.value)}
      />
    </Dialog>
  );
}
