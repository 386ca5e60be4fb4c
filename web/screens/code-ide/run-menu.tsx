import { ChevronDown, Play } from "lucide-react";

import type { RunMode } from "@miranda/contract/command-args.ts";
import { canCreate } from "@miranda/contract/processor.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { attempt, useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../ui/dropdown.tsx";
import { toast } from "../../ui/toast.ts";
import { errorLine } from "./code-text.ts";
import { useIde, useIdeView } from "./ide-context.tsx";

const ofTheNode: readonly { mode: RunMode; label: string }[] = [
  { mode: "one", label: "Run this node" },
  { mode: "to", label: "Run up to this node" },
  { mode: "from", label: "Run from this node on" },
];
const ofAll: readonly { mode: RunMode; label: string }[] = [
  { mode: "changed", label: "Run what changed" },
  { mode: "all", label: "Run all" },
];

/** Ways to run from where the code is written. */
export function RunMenu({ node }: { node: Node }) {
  const { actions } = useProcessor();
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const id = node.metadata_id;
  const isUnsaved = useIdeView((view) => view.unsaved.get(id) === true);
  const compile = useCompile(node);
  if (isWaiting || !(shown === "READY" || canCreate(shown))) return null;
  return (
    <Dropdown
      align="start"
      trigger={
        <Button size="sm" variant="ghost">
          <Play className="size-4 text-success-text" aria-hidden="true" />
          <span className="max-sm:sr-only">Run</span>
          <ChevronDown className="size-3.5" aria-hidden="true" />
        </Button>
      }
    >
      {ofTheNode.map(({ mode, label }) => (
        <DropdownItem key={mode} onSelect={() => attempt(actions.run({ mode, node: id }))}>
          {label}
        </DropdownItem>
      ))}
      <DropdownSeparator />
      {ofAll.map(({ mode, label }) => (
        <DropdownItem key={mode} onSelect={() => attempt(actions.run({ mode }))}>
          {label}
        </DropdownItem>
      ))}
      {shown === "READY" ? (
        <>
          <DropdownSeparator />
          <DropdownItem onSelect={() => attempt(compile())}>Compile on the processor</DropdownItem>
        </>
      ) : null}
      {isUnsaved ? (
        <p className="max-w-60 px-2 py-1.5 text-xs text-ink-faint">A run takes the committed code.</p>
      ) : null}
    </Dropdown>
  );
}

/** Runs the text as it is now, committed or not, and shows the attributes that only running finds. */
function useCompile(node: Node): () => Promise<void> {
  const { ide, documents } = useIde();
  const { actions } = useProcessor();
  const id = node.metadata_id;
  return async () => {
    const code = documents.get(id).text() ?? node.source_code;
    const attributes = node.api.attributes.map(({ name, value }) => ({ name, value }));
    const { api, error } = await actions.compile({ nodeId: id, attributes, code });
    const wrong = error ?? api?.error ?? null;
    if (api) ide.setCheck(id, { ...api, error: wrong, error_line: errorLine(wrong) });
    if (wrong !== null) toast.error(wrong);
    else toast.success(`Compiled ${node.name}`);
  };
}
