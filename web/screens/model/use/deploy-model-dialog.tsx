import { useId } from "react";
import { useNavigate } from "react-router";

import type { ModelVersionDetails } from "@miranda/contract/schemas/models/versions.ts";

import { useModelActions } from "../../../api/models/model-actions.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { useOpenModel } from "../open-model.tsx";

interface DeployModelDialogProps {
  version: ModelVersionDetails;
  alias: string | undefined;
  onClose: () => void;
}

/** Makes a workflow that predicts with the model, and leads to the form of its deployment. */
export function DeployModelDialog({ version, alias, onClose }: DeployModelDialogProps) {
  const id = useId();
  const { model } = useOpenModel();
  const { deploy } = useModelActions(model.id);
  const navigate = useNavigate();
  const form = useForm(async (data) => {
    const { address } = await deploy(version.number, fieldText(data, "name").trim(), alias);
    await navigate(address, { state: { deploy: true } });
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Deploy this version"
      description={
        alias === undefined
          ? `A new workflow asks for the inputs and predicts with version ${version.number}. Its deployment is offered next.`
          : `A new workflow asks for the inputs and predicts with the version that has the alias “${alias}”. Its deployment is offered next.`
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant="primary" busy={form.busy}>
            Continue
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={form.onSubmit} className="flex flex-col gap-3">
        <TextField label="Name of the workflow" name="name" defaultValue={`Predict with ${model.name}`} required />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
