import { useQuery } from "@tanstack/react-query";
import * as Primitive from "radix-ui/dialog";
import { useId, useMemo, useState } from "react";

import { template as limits } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { OwnTemplate } from "@miranda/contract/schemas/library/templates.ts";

import { ownTemplatesQuery, templateCodeQuery, useTemplateCalls } from "../../../api/templates.ts";
import { Button } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { FormAlert, SelectField, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { DialogPanel } from "../../../ui/overlay/dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { UnsavedNotice } from "../../../panels/unsaved-notice.tsx";
import { Comparison } from "../compare/comparison.tsx";
import { useEditor } from "../editor-context.tsx";
import { sinceVersion } from "./template-differences.ts";

interface PublishNewerDialogProps {
  ids: readonly number[];
  onClose: () => void;
}

/** Publishes the selection as the next version of one of the person's own templates. */
export function PublishNewerDialog({ ids, onClose }: PublishNewerDialogProps) {
  const { session } = useEditor();
  const [nodes] = useState(() => {
    const all = session.store.view().resolved.nodes;
    return ids.flatMap((id) => all[id] ?? []);
  });
  const kind = nodes.length === 1 ? "prefab" : "blueprint";
  const { data, error, isFetching, refetch } = useQuery(ownTemplatesQuery);
  const own = data?.filter((one) => one.kind === kind);
  return (
    <Primitive.Root open onOpenChange={onClose}>
      <DialogPanel className="max-w-4xl" data-testid="publish-newer">
        <div className="px-5 pt-5 pb-3">
          <Primitive.Title className="text-lg font-semibold">Publish a newer version</Primitive.Title>
          <Primitive.Description className="mt-1 text-ink-muted">
            People with linked copies are offered it. Nothing of theirs changes until they take it.
          </Primitive.Description>
        </div>
        {error ? (
          <div className="px-5 pb-5">
            <LoadFailure
              title={`Your ${kind}s could not be loaded`}
              message={error.message}
              busy={isFetching}
              onRetry={() => void refetch()}
            />
          </div>
        ) : null}
        {!data && !error ? <LoadingArea label={`Loading your ${kind}s`} /> : null}
        {own?.length === 0 ? (
          <div className="flex items-center justify-between gap-3 px-5 pb-5">
            <p className="text-ink-muted">You have published no {kind} yet.</p>
            <Button onClick={onClose}>Close</Button>
          </div>
        ) : null}
        {own && own.length > 0 ? <NewerForm nodes={nodes} own={own} onClose={onClose} /> : null}
      </DialogPanel>
    </Primitive.Root>
  );
}

interface NewerFormProps {
  nodes: readonly Node[];
  own: readonly OwnTemplate[];
  onClose: () => void;
}

function NewerForm({ nodes, own, onClose }: NewerFormProps) {
  const { session } = useEditor();
  const formId = useId();
  const { publishNewer } = useTemplateCalls();
  const [chosenId, setChosenId] = useState(() => likeliest(nodes, own));
  const chosen = own.find(({ id }) => id === chosenId) ?? own[0];
  const form = useForm(async (data) => {
    if (!chosen) return;
    const ids = nodes.map(({ metadata_id }) => metadata_id);
    const version = await publishNewer(chosen, session.graphId, ids, fieldText(data, "changes").trim());
    toast.success(`Version ${version} of “${chosen.name}” is published.`);
    onClose();
  });
  if (!chosen) return null;
  return (
    <>
      <form id={formId} onSubmit={form.onSubmit} className="grid shrink-0 gap-3 px-5 pb-4 sm:grid-cols-2">
        <SelectField
          label={chosen.kind === "prefab" ? "Prefab" : "Blueprint"}
          value={chosen.id}
          onChange={(event) => setChosenId(event.target.value)}
        >
          {own.map(({ id, name, version, withdrawn }) => (
            <option key={id} value={id}>
              {name} (version {version}
              {withdrawn ? ", withdrawn" : ""})
            </option>
          ))}
        </SelectField>
        <TextField
          label="What is new"
          name="changes"
          dir="auto"
          required
          autoComplete="off"
          maxLength={limits.changesMax}
          onChange={form.clearError}
        />
        <div className="sm:col-span-2">
          <UnsavedNotice />
        </div>
      </form>
      <Difference nodes={nodes} template={chosen} />
      <div className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line p-4">
        <p className="mr-auto text-sm text-ink-muted">
          {chosen.used_by.nodes === 0
            ? "Nobody uses it yet."
            : `Used by ${counted(chosen.used_by.nodes, "node")} in ${counted(chosen.used_by.workflows, "workflow")}.`}
        </p>
        <FormAlert message={form.error} takesFocus />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" form={formId} variant="primary" busy={form.busy}>
          Publish version {chosen.version + 1}
        </Button>
      </div>
    </>
  );
}

/** What differs from the last version. */
function Difference({ nodes, template }: { nodes: readonly Node[]; template: OwnTemplate }) {
  const { session } = useEditor();
  const { data, error } = useQuery(templateCodeQuery(template.id, template.version));
  const sides = useMemo(() => data && sinceVersion(nodes, template.id, data), [data, nodes, template.id]);
  return (
    <div className="flex h-[40dvh] min-h-40 border-t border-line">
      {error ? <p className="p-5 text-sm text-danger-text">{error.message}</p> : null}
      {!sides && !error ? <LoadingArea label="Loading the last version" /> : null}
      {sides ? (
        <Comparison
          graphId={session.graphId}
          {...sides}
          nothing="The code is the same as in the last version."
          withoutCanvas
        />
      ) : null}
    </div>
  );
}

/** The template that the nodes were made from, else one with the same name. */
function likeliest(nodes: readonly Node[], own: readonly OwnTemplate[]): string | undefined {
  const origins = new Set(nodes.map(({ template }) => template?.id));
  const names = new Set(nodes.map(({ name }) => name));
  return (own.find(({ id }) => origins.has(id)) ?? own.find(({ name }) => names.has(name)) ?? own[0])?.id;
}
