import { accountDeletion as limits } from "@miranda/contract/limits.ts";
import type { AccountDeletion, SharedProject } from "@miranda/contract/schemas/account/account-deletion.ts";

import { SelectField } from "../../ui/form/field.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import type { Transfers } from "./account-losses.ts";

interface HandOverProps {
  deletion: AccountDeletion;
  transfers: Transfers;
  onChange: (transfers: Transfers) => void;
}

/** Chooses for each shared project whether it is deleted or goes to one of its editors. */
export function HandOver({ deletion, transfers, onChange }: HandOverProps) {
  const { shared_projects: projects, shared_count: count } = deletion;
  if (projects.length === 0) return null;

  function choose(id: string, owner: string) {
    const { [id]: _before, ...others } = transfers;
    onChange(owner === "" ? others : { ...others, [id]: owner });
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 font-semibold">Your shared projects</legend>
      <p className="-mt-1 text-ink-muted">Each is deleted, unless you hand it over to one of its editors.</p>
      {projects.map((project) => (
        <SelectField
          key={project.id}
          label={oneLine(project.name)}
          value={transfers[project.id] ?? ""}
          onChange={(event) => choose(project.id, event.target.value)}
        >
          <option value="">Delete</option>
          {project.editors.map((editor) => (
            <option key={editor.id} value={editor.id}>
              Hand over to {nameOf(editor)}
            </option>
          ))}
        </SelectField>
      ))}
      {count > projects.length ? (
        <p className="text-sm text-ink-muted">
          These are your newest {limits.transfersMax} of {count.toLocaleString("en")} shared projects. To keep another,
          transfer it on its own page first.
        </p>
      ) : null}
    </fieldset>
  );
}

function nameOf({ first_name, last_name, username }: SharedProject["editors"][number]): string {
  return oneLine(`${first_name} ${last_name} (${username})`);
}
