import { useEffect, useRef, useState } from "react";

import { useOpenGraph } from "../../providers/object-provider.tsx";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { useRealtime } from "../../providers/realtime-provider.tsx";
import { createIde, type Ide } from "./ide-state.ts";
import { createOpenDocuments, type OpenDocuments } from "./open-documents.ts";

/** The stores for writing code: what is open, and the documents. Both close when the component unmounts. */
export function useIdeStores(): { ide: Ide; documents: OpenDocuments } {
  const { session } = useOpenGraph();
  const realtime = useRealtime();
  const { unsaved } = useProcessor();
  const [made] = useState(() => {
    const { graphId, store } = session;
    const ide = createIde(graphId);
    ide.keepTabs((id) => store.view().resolved.nodes[id]?.class === "Code_block");
    const documents = createOpenDocuments({
      realtime,
      mayWrite: (id) => {
        const view = store.view();
        return !view.viewOnly && view.resolved.nodes[id]?.locked !== true;
      },
    });
    return { ide, documents };
  });
  const { documents } = made;
  useEffect(() => {
    const stop = unsaved.offer(() => documents.sent());
    // Typed text may still be on its way when the canvas is open again.
    return () => void setTimeout(() => void documents.sent().finally(stop));
  }, [unsaved, documents]);
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    clearTimeout(closing.current);
    // Later, because in development React unmounts and remounts every screen once.
    return () => {
      closing.current = setTimeout(documents.closeAll);
    };
  }, [documents]);
  return made;
}
