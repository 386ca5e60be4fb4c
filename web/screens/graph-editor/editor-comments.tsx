import { CommentsDock } from "../../panels/comments/comments-dock.tsx";
import { isSourceLineGone } from "../../panels/comments/source-line.ts";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { useEditor, useUi, useView } from "./editor-context.tsx";

/** The comments beside the canvas. A new one is about the selected node. */
export function EditorComments() {
  const { session } = useEditor();
  const { unsaved } = useProcessor();
  const only = useUi(({ selected }) => (selected.size === 1 ? [...selected][0] : undefined));
  const name = useView((view) => view.resolved.nodes[only ?? -1]?.name);
  const nodes = () => session.store.view().resolved.nodes;
  return (
    <CommentsDock
      here={only !== undefined && name !== undefined ? { kind: "node", metadata_id: only, name } : undefined}
      hint="Select a node to comment on it. Comments on a line are written in its code."
      nodeName={(id) => nodes()[id]?.name}
      // The line may be in unsaved code, which is not loaded here.
      lineNow={(place) => {
        const id = place.metadata_id ?? -1;
        return !unsaved.of(id) && isSourceLineGone(place, nodes()[id]?.source_code) ? "gone" : undefined;
      }}
    />
  );
}
