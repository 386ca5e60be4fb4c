import { Eye, Lock, Trash2, TriangleAlert } from "lucide-react";

import { errorScreen } from "../../limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { logWarning } from "../../log.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ChangedBelow } from "./changed-below.tsx";
import { useSharedCode } from "./ide-context.tsx";
import { Notice } from "./notice.tsx";
import type { SharedCode } from "./shared-code.ts";

interface PaneNoticesProps {
  code: SharedCode;
  node: Node | undefined;
  mayWrite: boolean;
}

/** Why this code cannot be changed, why it is gone, or what changed below it. */
export function PaneNotices({ code, node, mayWrite }: PaneNoticesProps) {
  const { gone, refusal, leftover } = useSharedCode(code);
  const viewOnly = useGraph((view) => view.viewOnly);
  return (
    <>
      {gone === undefined && node ? null : (
        <Notice icon={Trash2} tone="danger" testId="node-gone" action={<CopyText code={code} />}>
          {gone ? `${gone} deleted this node.` : "This node was deleted."} Its text stays here to be copied.
        </Notice>
      )}
      {node && viewOnly ? (
        <Notice icon={Eye} testId="read-only">
          You can view this code but not change it.
        </Notice>
      ) : null}
      {node && !viewOnly && node.locked ? (
        <Notice icon={Lock} testId="node-locked">
          This node is locked. Unlock it in the workflow to change its code.
        </Notice>
      ) : null}
      {refusal !== undefined && mayWrite ? (
        <Notice
          icon={TriangleAlert}
          tone="danger"
          testId="code-refused"
          action={
            <>
              <CopyText code={code} />
              <Button size="sm" onClick={code.open}>
                Try again
              </Button>
            </>
          }
        >
          {refusal}
        </Notice>
      ) : null}
      {node ? <ChangedBelow code={code} node={node} mayWrite={mayWrite} /> : null}
      {leftover === undefined ? null : (
        <Notice
          icon={TriangleAlert}
          tone="warning"
          testId="code-leftover"
          action={
            <>
              <Button
                size="sm"
                onClick={() => {
                  code.setText(leftover);
                  code.forgetLeftover();
                }}
              >
                Use mine
              </Button>
              <Button size="sm" variant="ghost" onClick={code.forgetLeftover}>
                Discard
              </Button>
            </>
          }
        >
          What you typed while disconnected could not be merged: the code was replaced meanwhile.
        </Notice>
      )}
    </>
  );
}

function CopyText({ code }: { code: SharedCode }) {
  return (
    <CopyButton
      size="sm"
      text={code.text() ?? ""}
      confirmFor={errorScreen.copiedFor}
      onFailure={(cause) => logWarning("The code could not be copied.", cause)}
    />
  );
}
