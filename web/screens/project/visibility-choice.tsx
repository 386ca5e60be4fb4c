import { Globe, Lock } from "lucide-react";
import { useState } from "react";

import type { Project, Visibility } from "@miranda/contract/schemas/projects.ts";

import { useProjectCalls } from "../../api/projects.ts";
import { messageOf } from "../../message-of.ts";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { FormAlert } from "../../ui/form/field.tsx";

const looks = {
  public: { icon: Globe, label: "Public", text: "Every account here can read it." },
  private: { icon: Lock, label: "Private", text: "Only its members can read it." },
} as const satisfies Record<Visibility, object>;

/** Takes effect when chosen, and shows the choice before the server has answered. */
export function VisibilityChoice({ project }: { project: Project }) {
  const { change } = useProjectCalls();
  const [pending, setPending] = useState<Visibility | null>(null);
  const [error, setError] = useState<string | null>(null);

  async function choose(visibility: Visibility) {
    setPending(visibility);
    setError(null);
    try {
      await change(project.id, { visibility });
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
        onChoose={(value) => void choose(value)}
        options={(["public", "private"] as const).map((value) => ({ value, label: <Choice value={value} /> }))}
        className="sm:grid-cols-2"
      />
      <FormAlert message={error} />
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
