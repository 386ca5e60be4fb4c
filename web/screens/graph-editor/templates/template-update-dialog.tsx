import * as Primitive from "radix-ui/dialog";
import { useId, useMemo } from "react";

import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { Comparison as Differences, VersionGraph } from "@miranda/contract/schemas/versions.ts";

import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { DialogPanel } from "../../../ui/overlay/dialog.tsx";
import { useEditor } from "../editor-context.tsx";
import { versionNode } from "../publish/publication.ts";
import { Comparison } from "../compare/comparison.tsx";

interface TemplateUpdateDialogProps {
  node: Node;
  onClose: () => void;
}

/** Shows what the template's newer code would change, and offers to take it. */
export function TemplateUpdateDialog({ node, onClose }: TemplateUpdateDialogProps) {
  const { session } = useEditor();
  const formId = useId();
  const sides = useMemo(() => updateOf(node), [node]);
  const form = useForm(async () => {
    await session.takeTemplateUpdate(node.metadata_id);
    onClose();
  });
  return (
    <Primitive.Root open onOpenChange={onClose}>
      <DialogPanel className="h-[70dvh] max-w-4xl">
        <div className="px-5 pt-5 pb-4">
          <Primitive.Title className="line-clamp-3 text-lg font-semibold">Newer code for {node.name}</Primitive.Title>
          <Primitive.Description className="mt-1 text-ink-muted">
            Values and edges stay. Attributes are matched by name.
          </Primitive.Description>
        </div>
        <div className="flex min-h-0 flex-1 border-y border-line">
          <Comparison graphId={session.graphId} {...sides} nothing="The code is the same." withoutCanvas />
        </div>
        <form id={formId} onSubmit={form.onSubmit} className="flex flex-wrap items-center justify-end gap-2 p-4">
          <FormAlert message={form.error} takesFocus />
          <Button onClick={onClose}>Not now</Button>
          <Button type="submit" variant="primary" busy={form.busy}>
            Use the newer code
          </Button>
        </form>
      </DialogPanel>
    </Primitive.Root>
  );
}

/** The node as it is and as it would be, as a comparison. */
function updateOf(node: Node): { before: VersionGraph; differences: Differences } {
  const before = versionNode(node, node.id);
  const code = node.update?.source_code ?? node.source_code;
  const fields = [{ kind: "code" as const, field: "code", before: node.source_code, after: code }];
  const id = String(node.metadata_id);
  return {
    before: {
      nodes: { [id]: node },
      edges: [],
      groups: [],
      viewOnly: true,
      revision: 0,
      lineages: { [id]: node.id },
    },
    differences: {
      nodes: [{ lineage: node.id, change: "changed", before, after: { ...before, source_code: code }, fields }],
      edges: [],
      groups: [],
    },
  };
}
