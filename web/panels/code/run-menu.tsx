import { readUnfitText } from "@miranda/contract/graph/attributes/unfit-text.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { RunBar } from "../../panels/processor/run-bar.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { DropdownItem } from "../../ui/overlay/dropdown.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { errorLine } from "./code-text.ts";
import { useIde } from "./ide-context.tsx";

/** The Run button and its menu in the code. */
export function RunMenu({ node }: { node: Node }) {
  const isReady = useProcessorState((state) => state.shown === "READY");
  const id = node.metadata_id;
  const compile = useCompile(node);
  return (
    <RunBar node={id} crowded>
      {isReady ? <DropdownItem onSelect={() => toastFailure(compile())}>Compile on the processor</DropdownItem> : null}
    </RunBar>
  );
}

/** Compiles the text as it is now, committed or not, and shows the attributes that only running can find. */
function useCompile(node: Node): () => Promise<void> {
  const { ide, documents } = useIde();
  const { actions } = useProcessor();
  const id = node.metadata_id;
  return async () => {
    const code = documents.get(id).text() ?? node.source_code;
    // A text that cannot be read is no value for the code.
    const readable = node.api.attributes.filter(({ value }) => readUnfitText(value) === undefined);
    const attributes = readable.map(({ name, value }) => ({ name, value }));
    const { api, error } = await actions.compile({ nodeId: id, attributes, code });
    const wrong = error ?? api?.error ?? null;
    if (api) ide.setCheck(id, { ...api, error: wrong, error_line: errorLine(wrong) });
    if (wrong !== null) toast.error(wrong);
    else toast.success(`Compiled ${node.name}`);
  };
}
