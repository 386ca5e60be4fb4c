import { Suspense, useEffect, useId, useMemo, useState } from "react";
import { useParams } from "react-router";
import { lazyPart } from "../../load-part.ts";
import { toast } from "../../ui/overlay/toast.ts";

import { formText, node as limits } from "@miranda/contract/limits.ts";
import type { Edge, Node } from "@miranda/contract/schemas/nodes.ts";

import { NodeOutputs } from "../../panels/outputs/node-outputs.tsx";
import { useTemplateCalls } from "../../api/templates.ts";
import { endsOf } from "@miranda/contract/graph/content.ts";
import { idOf } from "@miranda/contract/graph/resolution/resolve-content.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogPanel } from "../../ui/overlay/dialog.tsx";
import { FormAlert, TextAreaField, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import * as Primitive from "radix-ui/dialog";
import { useEditor, useUi, useView, useViewOnly } from "./editor-context.tsx";
import { type Joint, possibleEdges } from "./edges/joining.ts";
import { kindColour } from "./cards/kind-colours.ts";
import { QuickList } from "./library/quick-list.tsx";
import { shortcuts } from "./actions/shortcuts.ts";

const NameVersionDialog = lazyPart(() =>
  import("./history/name-version-dialog.tsx").then((m) => ({ default: m.NameVersionDialog })),
);
const PublishVersionDialog = lazyPart(() =>
  import("./publish/publish-dialog.tsx").then((m) => ({ default: m.PublishDialog })),
);
const DeployDialog = lazyPart(() =>
  import("../../panels/deploy/deploy-dialog.tsx").then((m) => ({ default: m.DeployDialog })),
);
const PublishNewerDialog = lazyPart(() =>
  import("./templates/publish-newer-dialog.tsx").then((m) => ({ default: m.PublishNewerDialog })),
);
const TemplatesDialog = lazyPart(() =>
  import("./templates/templates-dialog.tsx").then((m) => ({ default: m.TemplatesDialog })),
);
const TemplateUpdateDialog = lazyPart(() =>
  import("./templates/template-update-dialog.tsx").then((m) => ({ default: m.TemplateUpdateDialog })),
);
const ImportCodeDialog = lazyPart(() =>
  import("./from-files/import-code-dialog.tsx").then((m) => ({ default: m.ImportCodeDialog })),
);
const SplitDialog = lazyPart(() => import("./from-files/split-dialog.tsx").then((m) => ({ default: m.SplitDialog })));
const ImportedDialog = lazyPart(() =>
  import("./from-files/imported-dialog.tsx").then((m) => ({ default: m.ImportedDialog })),
);
const TextDialog = lazyPart(() => import("./from-files/text-dialog.tsx").then((m) => ({ default: m.TextDialog })));
const UnsavedNoteDialog = lazyPart(() =>
  import("./notes/unsaved-note-dialog.tsx").then((m) => ({ default: m.UnsavedNoteDialog })),
);

const CanvasFind = lazyPart(() => import("./canvas/canvas-find.tsx").then((m) => ({ default: m.CanvasFind })));

export function EditorDialogs() {
  return (
    <Suspense fallback={null}>
      <OpenDialog />
    </Suspense>
  );
}

function OpenDialog() {
  const { ui } = useEditor();
  const { projectId = "", graphId = "" } = useParams();
  const dialog = useUi((state) => state.dialog);
  const nodes = useView((view) => view.resolved.nodes);
  const edges = useView((view) => view.resolved.edges);
  const close = () => ui.set({ dialog: null });
  switch (dialog?.type) {
    case undefined:
      return null;
    case "shortcuts":
      return <ShortcutSheet onClose={close} />;
    case "find-code":
      return <CanvasFind kind={dialog.kind} onClose={close} />;
    case "connect":
      return <ConnectDialog id={dialog.id} onClose={close} />;
    case "publish":
      return <PublishDialog ids={dialog.ids} onClose={close} />;
    case "publish-newer":
      return <PublishNewerDialog ids={dialog.ids} onClose={close} />;
    case "templates":
      return <TemplatesDialog onClose={close} />;
    case "update": {
      const node = nodes[dialog.id];
      return node?.update ? <TemplateUpdateDialog node={node} onClose={close} /> : null;
    }
    case "name-version":
      return <NameVersionDialog projectId={projectId} graphId={graphId} onClose={close} />;
    case "publish-version":
      return <PublishVersionDialog projectId={projectId} graphId={graphId} onClose={close} />;
    case "deploy":
      return <DeployDialog projectId={projectId} graphId={graphId} onClose={close} />;
    case "import-code":
      return <ImportCodeDialog code={dialog.code} whole={dialog.whole} at={dialog.at} onClose={close} />;
    case "split": {
      const node = nodes[dialog.id];
      return node ? <SplitDialog node={node} onClose={close} /> : <Closed close={close} />;
    }
    case "pasted-text":
      return <TextDialog text={dialog.text} split={dialog.split} at={dialog.at} onClose={close} />;
    case "unsaved-note":
      return <UnsavedNoteDialog note={dialog.note} text={dialog.text} reason={dialog.reason} onClose={close} />;
    case "outputs": {
      const node = nodes[dialog.id];
      return node ? <OutputsDialog node={node} onClose={close} /> : <Closed close={close} />;
    }
    case "imported":
      return <ImportedDialog imported={dialog.imported} onClose={close} />;
    case "edge-label": {
      const edge = edges.find((one) => idOf(one) === dialog.id);
      return edge ? <LabelDialog edge={edge} onClose={close} /> : <Closed close={close} />;
    }
  }
}

interface Closing {
  onClose: () => void;
}

function ShortcutSheet({ onClose }: Closing) {
  const viewOnly = useViewOnly();
  const shown = shortcuts.filter(({ reads }) => !viewOnly || reads);
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <Dialog open onOpenChange={onClose} title="Keyboard shortcuts" wide reading>
      <div className="columns-1 gap-8 sm:columns-2">
        {groups.map((group) => (
          <section key={group} className="mb-4 break-inside-avoid">
            <h3 className="mb-1 text-xs font-semibold text-ink-faint">{group}</h3>
            <dl>
              {shown
                .filter((one) => one.group === group)
                .map(({ keys, does }) => (
                  <div key={does} className="flex items-center justify-between gap-4 py-1 text-sm">
                    <dt>{does}</dt>
                    <dd className="shrink-0">
                      <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-sans text-xs text-ink-muted">
                        {keys}
                      </kbd>
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Connects two ports without a mouse. */
function ConnectDialog({ id, onClose }: Closing & { id: number }) {
  const { session } = useEditor();
  const [text, setText] = useState("");
  const [all] = useState(() => possibleEdges(session.store.view().resolved.nodes, session.store.content().edges, id));
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return all.filter(({ from, to }) => words.every((word) => `${from} ${to}`.toLowerCase().includes(word)));
  }, [all, text]);
  return (
    <Primitive.Root open onOpenChange={onClose}>
      <DialogPanel className="max-w-lg" aria-describedby={undefined}>
        <Primitive.Title className="sr-only">Connect</Primitive.Title>
        <QuickList<Joint>
          label="Connect to"
          items={found}
          itemKey={({ ends }) => JSON.stringify(ends)}
          text={text}
          onText={setText}
          onClose={onClose}
          onChoose={({ ends }) => {
            onClose();
            void session.run({ type: "connect", ends });
          }}
          renderItem={({ from, to, kind }) => (
            <span className="flex items-center gap-2 text-sm">
              <span className="size-2 shrink-0 rounded-full" style={{ background: kindColour(kind) }} />
              <span className="min-w-0 truncate">{from}</span>
              <span aria-hidden="true" className="text-ink-faint">
                →
              </span>
              <span className="min-w-0 truncate">{to}</span>
            </span>
          )}
          empty="No other port fits."
        />
      </DialogPanel>
    </Primitive.Root>
  );
}

/** Publishes one node as a prefab, several as a blueprint. */
function PublishDialog({ ids, onClose }: Closing & { ids: readonly number[] }) {
  const { session } = useEditor();
  const formId = useId();
  const { publishPrefab, publishBlueprint } = useTemplateCalls();
  const [only] = ids;
  const node = ids.length === 1 ? session.store.view().resolved.nodes[only ?? -1] : undefined;
  const kind = node ? "prefab" : "blueprint";
  const form = useForm(async (data) => {
    const described = {
      name: fieldText(data, "name"),
      description: fieldText(data, "description"),
      public: data.get("public") === "on",
    };
    if (node) await publishPrefab(node.metadata_id, described);
    else await publishBlueprint(session.graphId, ids, described);
    toast.success(`“${described.name}” is in the library.`);
    onClose();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Publish as ${kind}`}
      description={
        node
          ? "A prefab can be added to any workflow. Linked copies are offered its newer code."
          : `A blueprint holds these ${ids.length} nodes and the edges between them.`
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Publish
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <TextField label="Name" name="name" required maxLength={formText.nameMax} defaultValue={node?.name ?? ""} />
        <TextAreaField
          label="Description"
          name="description"
          optional
          maxLength={formText.descriptionMax}
          defaultValue={node?.description ?? ""}
        />
        <label className="flex items-center gap-2 text-sm">
          <input type="checkbox" name="public" defaultChecked className="accent-accent" />
          Everyone can use it
        </label>
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}

/** What the dialog is about was deleted. It does not come back with an undo, and the next one can open. */
function Closed({ close }: { close: () => void }) {
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- once
  useEffect(close, []);
  return null;
}

function OutputsDialog({ node, onClose }: Closing & { node: Node }) {
  return (
    <Dialog open onOpenChange={onClose} title={`Output of ${node.name}`} wide reading>
      <NodeOutputs node={node.metadata_id} name={node.name} />
    </Dialog>
  );
}

function LabelDialog({ edge, onClose }: Closing & { edge: Edge }) {
  const { session } = useEditor();
  const formId = useId();
  const form = useForm(async (data) => {
    onClose();
    const label = fieldText(data, "label").trim();
    if (label !== (edge.label ?? "")) await session.run({ type: "draw", ends: endsOf(edge), drawing: { label } });
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Edge label"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary">
            Save
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit}>
        <TextField label="Text" name="label" maxLength={limits.edgeTextMax} defaultValue={edge.label ?? ""} />
      </form>
    </Dialog>
  );
}
