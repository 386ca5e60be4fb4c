import { useMemo } from "react";
import { useNavigate, useParams } from "react-router";

import { codeNodes, oneLineEnd } from "../../../panels/code/code-text.ts";
import { FindDialog, type FindKind } from "../../../panels/find-code/find-dialogs.tsx";
import { useEditor, useView } from "../editor-context.tsx";

/** Finds nodes, symbols and lines from the canvas. A node opens beside it, a line in the IDE. */
export function CanvasFind({ kind, onClose }: { kind: FindKind; onClose: () => void }) {
  const { actions } = useEditor();
  const { projectId = "", graphId = "" } = useParams();
  const navigate = useNavigate();
  const nodes = useView((view) => view.resolved.nodes);
  const files = useMemo(
    () =>
      codeNodes(nodes).map(({ metadata_id: id, name, source_code }) => ({ id, name, code: oneLineEnd(source_code) })),
    [nodes],
  );
  return (
    <FindDialog
      kind={kind}
      files={files}
      onOpen={(id, line) => {
        if (line === undefined) actions.openCode(id);
        else void navigate(`/designer/projects/${projectId}/graphs/${graphId}/code/${id}?line=${line}`);
      }}
      onClose={onClose}
    />
  );
}
