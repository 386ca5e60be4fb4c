import { deployment as limits, formText } from "@miranda/contract/limits.ts";
import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { pictureAddress } from "../../../api/apps/apps.ts";
import { useDeploymentActions } from "../../../api/deployments/deployments.ts";
import { factsOf, TagsField } from "../../../panels/deploy/app-facts.tsx";
import { PictureField } from "../../../panels/deploy/picture-field.tsx";
import { nameProblem } from "../../../panels/deploy/release-draft.ts";
import { TextAreaField, TextField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { SavedForm } from "./saved-form.tsx";

export function AboutForm({ deployment }: { deployment: Deployment }) {
  const { change, setPicture, removePicture } = useDeploymentActions(deployment.graph.id);
  const mayManage = deployment.right === "manage";
  return (
    <div className="flex flex-col gap-5">
      <PictureField
        stored={pictureAddress(deployment) ?? null}
        chosen={null}
        onChoose={(file) => toastFailure(setPicture(file))}
        onRemove={() => toastFailure(removePicture())}
      />
      <SavedForm
        label="About"
        onSave={async (data) => {
          const name = fieldText(data, "name").trim();
          const problem = !mayManage || name === deployment.name ? undefined : nameProblem(name);
          if (problem !== undefined) throw new Error(`The short name cannot be used: ${problem}`);
          const isRenamed = mayManage && name !== deployment.name;
          await change({ ...factsOf(data), title: fieldText(data, "title"), ...(isRenamed ? { name } : {}) });
        }}
      >
        <TextField
          label="Title"
          name="title"
          dir="auto"
          required
          maxLength={formText.nameMax}
          defaultValue={deployment.title}
        />
        <TextField
          label="Short name"
          name="name"
          required
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          maxLength={60}
          defaultValue={deployment.name}
          readOnly={!mayManage}
          hint="A part of its address. If you change it, links and programs that use the old name stop working."
        />
        <TextAreaField
          label="Description"
          name="description"
          dir="auto"
          optional
          rows={4}
          maxLength={limits.descriptionMax}
          defaultValue={deployment.description}
          hint="You can use Markdown."
        />
        <TagsField tags={deployment.tags} />
      </SavedForm>
    </div>
  );
}
