import { Globe, Lock } from "lucide-react";
import { useState } from "react";

import type { Project, Visibility } from "@miranda/contract/schemas/projects.ts";

import { useProjectCalls } from "../../api/projects.ts";
import { useShareCalls, useSharedResults } from "../../api/deployments/shares.ts";
import { messageOf } from "../../message-of.ts";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { counted } from "../../ui/counted.ts";

const looks = {
  public: { icon: Globe, label: "Public", text: "Every account here can read it." },
  private: { icon: Lock, label: "Private", text: "Only its members can read it." },
} as const satisfies Record<Visibility, object>;

/** Takes effect when chosen, and shows the choice before the server has answered. */
export function VisibilityChoice({ project }: { project: Project }) {
  const { change } = useProjectCalls();
  const [pending, setPending] = useState<Visibility | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const shared = useSharedResults(project.id).data?.total ?? 0;
  const { refresh } = useShareCalls(project.id);

  async function choose(visibility: Visibility) {
    setAsking(false);
    setPending(visibility);
    setError(null);
    try {
      await change(project.id, { visibility });
      await refresh();
    } catch (cause) {
      setError(messageOf(cause));
    } finally {
      setPending(null);
    }
  }

  return (
    <div className="flex flex-col gap-2">
      <ChoiceGroup
        legend="Visibility"
        name="visibility"
        value={pending ?? project.visibility}
        onChoose={(value) =>
          value === "private" && project.visibility === "public" && shared > 0 ? setAsking(true) : void choose(value)
        }
        options={(["public", "private"] as const).map((value) => ({ value, label: <Choice value={value} /> }))}
        className="sm:grid-cols-2"
      />
      <FormAlert message={error} />
      {isAsking ? (
        <ConfirmDialog
          title={`Make ${project.name} private?`}
          text={`${counted(shared, "shared result")} will open nothing any more, for nobody who has the address. Results can be shared again later.`}
          action="Make private"
          onConfirm={() => choose("private")}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </div>
  );
}

function Choice({ value }: { value: Visibility }) {
  const { icon: Icon, label, text } = looks[value];
  return (
    <span className="flex gap-2.5">
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <span>
        <span className="block font-medium">{label}</span>
        <span className="block text-xs text-ink-muted">{text}</span>
      </span>
    </span>
  );
}
