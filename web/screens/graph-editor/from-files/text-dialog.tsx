import { useState } from "react";

import type { Position } from "@miranda/contract/schemas/nodes.ts";
import type { SplitCode } from "@miranda/contract/schemas/code/notebooks.ts";

import { splitCode } from "../../../api/notebooks.ts";
import { messageOf } from "../../../message-of.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { LongText } from "../../../ui/text/long-text.tsx";
import { useEditor } from "../editor-context.tsx";

interface TextDialogProps {
  text: string;
  split: SplitCode;
  at: Position | undefined;
  onClose: () => void;
}

const descriptionMax = 20_000;

/** A text that is not Python is not lost: it can become a node that holds it. */
export function TextDialog({ text, split, at, onClose }: TextDialogProps) {
  const { actions, session } = useEditor();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const reason = split.remarks[0]?.text;

  async function add(): Promise<void> {
    setBusy(true);
    try {
      const made = await splitCode(session.graphId, { name: "Text", text: textNode(text) }, false);
      const nodes = made.nodes.map((node) => ({ ...node, description: text.slice(0, descriptionMax) }));
      if (await actions.addSplit({ ...made, nodes }, at)) onClose();
    } catch (cause) {
      setProblem(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      reading
      onOpenChange={onClose}
      title="This is not Python"
      description={`${reason ? `Python says: ${reason}. ` : ""}You can keep the text in a node that sends it to others.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} onClick={() => void add()}>
            Add a text node
          </Button>
        </>
      }
    >
      {problem ? <FormAlert message={problem} /> : null}
      <div className="max-h-64 overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap">
        <LongText text={text} />
      </div>
    </Dialog>
  );
}

/** A JSON string is also a Python string. */
function textNode(text: string): string {
  return [
    "from miranda import Field, Node, Text, Transmitter",
    "",
    "",
    "class PastedText(Node):",
    `    text = Field(${JSON.stringify(text)}, control=Text(multiline=True))`,
    '    output = Transmitter("text")',
    "",
    "    def run(self):",
    "        self.output.send(self.text)",
    "",
  ].join("\n");
}
