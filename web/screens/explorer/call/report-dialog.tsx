import { useId } from "react";

import { formText } from "@miranda/contract/limits.ts";
import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import type { AppDoor } from "../../../api/apps/app-door.ts";
import { useCallActions } from "../../../api/apps/calls.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextAreaField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { Dialog } from "../../../ui/overlay/dialog.tsx";

interface ReportDialogProps {
  call: Call;
  door: AppDoor;
  onClose: () => void;
}

/** Tells the owner of an app that a call failed. */
export function ReportDialog({ call, door, onClose }: ReportDialogProps) {
  const formId = useId();
  const { report } = useCallActions(door);
  const form = useForm(async (data) => {
    await report(call.id, fieldText(data, "message"));
    onClose();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Report to the owner"
      description="The owner gets a message with a link to this run, and can see what you entered."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Send report
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} className="flex flex-col gap-3">
        <TextAreaField label="What did you expect?" name="message" optional rows={4} maxLength={formText.noticeMax} />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
