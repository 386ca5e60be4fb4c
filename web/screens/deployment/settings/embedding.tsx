import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { useDeploymentActions } from "../../../api/deployments/deployments.ts";
import { listOf } from "../../../panels/deploy/access-fields.tsx";
import { CopiedText } from "../../../panels/deploy/copied-text.tsx";
import { TextAreaField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { SavedForm } from "./saved-form.tsx";

/** Which sites may show the app in a frame, and what to paste there. */
export function Embedding({ deployment }: { deployment: Deployment }) {
  const { change } = useDeploymentActions(deployment.graph.id);
  const { sharing, access, name, right } = deployment;
  const isPublic = access === "link" && sharing?.link;
  const address = new URL(isPublic ? `/embed/links/${sharing.link}` : `/embed/${name}`, location.origin).href;
  return (
    <div className="flex flex-col gap-4">
      <SavedForm
        label="Embedding"
        disabled={right !== "manage"}
        onSave={async (data) => void (await change({ embed_origins: listOf(fieldText(data, "origins")) }))}
      >
        <TextAreaField
          label="Allowed sites"
          name="origins"
          rows={2}
          spellCheck={false}
          defaultValue={sharing?.embed_origins.join("\n")}
          placeholder="https://example.com"
          hint="One address on each line. Without any, no other site can show the app."
        />
      </SavedForm>
      {sharing && sharing.embed_origins.length > 0 ? (
        <div className="flex flex-col gap-1.5">
          <p className="text-sm text-ink-muted">
            {isPublic
              ? "Paste this into the page:"
              : "Paste this into the page. Visitors must be signed in to Miranda:"}
          </p>
          <CopiedText
            label="Code for the page"
            text={`<iframe src="${address}" width="100%" height="640" style="border:0"></iframe>`}
          />
        </div>
      ) : null}
    </div>
  );
}
