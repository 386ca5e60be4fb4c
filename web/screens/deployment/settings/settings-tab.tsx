import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { useDeploymentActions } from "../../../api/deployments/deployments.ts";
import { useSharingActions } from "../../../api/deployments/sharing.ts";
import { AccessFields, accessOf } from "../../../panels/deploy/access-fields.tsx";
import { policyOf, PolicyFields } from "../../../panels/deploy/policy-fields.tsx";
import { SettingsSection } from "../../../ui/form/settings-section.tsx";
import { AboutForm } from "./about-form.tsx";
import { DangerZone } from "./danger-zone.tsx";
import { Embedding } from "./embedding.tsx";
import { HookSettings } from "./hook-settings.tsx";
import { LinkSettings } from "./link-settings.tsx";
import { SavedForm } from "./saved-form.tsx";
import { TokenSettings } from "./token-settings.tsx";

interface SettingsTabProps {
  projectId: string;
  deployment: Deployment;
}

/** Everything about a deployment that can be changed. Who may change what, the server decides; the rest is shown. */
export function SettingsTab({ projectId, deployment }: SettingsTabProps) {
  const { change } = useDeploymentActions(deployment.graph.id);
  const { makeLink } = useSharingActions(deployment.graph.id);
  const { right, sharing, policy } = deployment;
  const mayManage = right === "manage";
  if (right === "read")
    return (
      <p className="p-8 text-center text-ink-muted">
        Editors of the project can change the settings of this deployment.
      </p>
    );
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-5xl flex-col gap-10 px-4 py-6 sm:px-6">
        <SettingsSection title="About" description="How it looks in the Explorer.">
          <AboutForm deployment={deployment} />
        </SettingsSection>
        <SettingsSection
          title="Who may use it"
          description="Members of the project always may. A person who may no longer use it is refused at once."
        >
          <SavedForm
            label="Who may use it"
            disabled={!mayManage}
            onSave={async (data) => {
              const { access, people } = accessOf(data);
              // The list of people stays when somebody else may use it for a while.
              const changed = await change(access === "people" ? { access, people } : { access });
              if (access === "link" && !changed.sharing?.link) await makeLink();
            }}
          >
            <AccessFields
              key={deployment.access}
              access={deployment.access}
              people={sharing?.people.map(({ username }) => username) ?? []}
            />
          </SavedForm>
          {deployment.access === "link" ? <LinkSettings deployment={deployment} /> : null}
        </SettingsSection>
        <SettingsSection title="Compute and cost" description="How many calls at once, what they may cost, who pays.">
          <SavedForm
            label="Compute and cost"
            disabled={!mayManage}
            onSave={async (data) => void (await change(policyOf(data)))}
          >
            <PolicyFields key={deployment.time_changed} policy={policy} />
          </SavedForm>
        </SettingsSection>
        <SettingsSection title="Tokens" description="For programs. A token can call this app and do nothing else.">
          <TokenSettings graphId={deployment.graph.id} />
        </SettingsSection>
        <SettingsSection
          title="Webhook"
          description="A secret address that other programs call, for example when a form was sent."
        >
          <HookSettings deployment={deployment} />
        </SettingsSection>
        <SettingsSection title="Embedding" description="Shows the app inside pages of other sites that you allow.">
          <Embedding deployment={deployment} />
        </SettingsSection>
        {mayManage ? (
          <SettingsSection title="Pause and delete" description="Pausing keeps everything. Deleting cannot be undone.">
            <DangerZone projectId={projectId} deployment={deployment} />
          </SettingsSection>
        ) : null}
      </div>
    </div>
  );
}
