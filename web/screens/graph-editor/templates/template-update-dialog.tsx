import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import { type ReactNode, useId, useMemo } from "react";

import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { TemplateOffer } from "@miranda/contract/schemas/library/templates.ts";

import { templateOfferQuery } from "../../../api/templates.ts";
import { Button } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { FormAlert } from "../../../ui/form/field.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { DialogPanel } from "../../../ui/overlay/dialog.tsx";
import { Comparison } from "../compare/comparison.tsx";
import { useEditor } from "../editor-context.tsx";
import { codeDifference } from "./template-differences.ts";
import { Trial } from "./trial.tsx";
import { VersionLines } from "./version-lines.tsx";

interface TemplateUpdateDialogProps {
  node: Node;
  onClose: () => void;
}

/** Shows what the template's newer version would change and what would break, and offers to take it. */
export function TemplateUpdateDialog({ node, onClose }: TemplateUpdateDialogProps) {
  const { data, error, isFetching, refetch } = useQuery(templateOfferQuery(node.metadata_id));
  return (
    <Primitive.Root open onOpenChange={onClose}>
      <DialogPanel className="h-[80dvh] max-w-4xl" data-testid="template-update">
        <div className="px-5 pt-5 pb-4">
          <Primitive.Title className="line-clamp-3 text-lg font-semibold">Newer code for {node.name}</Primitive.Title>
          <Primitive.Description className="mt-1 text-ink-muted">
            Values and edges stay. Attributes are matched by name.
          </Primitive.Description>
        </div>
        {error ? (
          <div className="px-5 pb-5">
            <LoadFailure
              title="The newer code could not be loaded"
              message={error.message}
              busy={isFetching}
              onRetry={() => void refetch()}
            />
          </div>
        ) : null}
        {!data && !error ? <LoadingArea label="Loading the newer code" /> : null}
        {data && !error ? <Offer node={node} offer={data} onClose={onClose} /> : null}
      </DialogPanel>
    </Primitive.Root>
  );
}

function Offer({ node, offer, onClose }: TemplateUpdateDialogProps & { offer: TemplateOffer }) {
  const { session } = useEditor();
  const formId = useId();
  const { version, changes, source_code: newer, lost_ports, package_conflicts } = offer;
  const sides = useMemo(() => codeDifference(node, node.source_code, newer), [node, newer]);
  const form = useForm(async () => {
    await session.takeTemplateUpdate(node.metadata_id, version);
    onClose();
  });
  return (
    <>
      <div className="flex max-h-[45%] shrink-0 flex-col gap-3 overflow-y-auto px-5 pb-4">
        {lost_ports.map(({ name, edges }) => (
          <Warning key={name}>
            The newer code has no port <b>{name}</b>. {counted(edges, "edge")} would lead nowhere.
          </Warning>
        ))}
        {package_conflicts.map(({ wanted, present, node: other }) => (
          <Warning key={`${wanted} ${present} ${other}`}>
            It wants <b>{wanted}</b>, and {other} wants <b>{present}</b>. No version is both, so the workflow could not
            run.
          </Warning>
        ))}
        <VersionLines versions={changes} />
        {node.class === "Code_block" ? <Trial node={node} graphId={session.graphId} offer={offer} /> : null}
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
    </>
  );
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="flex gap-2 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-text">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}
