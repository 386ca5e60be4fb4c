import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
  Blocks,
  Copy,
  Group,
  LayoutGrid,
  Trash2,
} from "lucide-react";

import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useEditor, useViewOnly } from "./editor-context.tsx";
import { Section } from "./panel.tsx";

/** What can be done with several nodes at once. */
export function InspectorSelection() {
  const { ui, actions } = useEditor();
  const viewOnly = useViewOnly();
  const copy = (
    <Button size="sm" onClick={() => void actions.copy()}>
      <Copy className="size-3.5" aria-hidden="true" />
      Copy
    </Button>
  );
  if (viewOnly) return <Section>{copy}</Section>;
  return (
    <>
      <Section title="Align">
        <div className="flex flex-wrap gap-1">
          <IconButton icon={AlignStartVertical} label="Align left" onClick={() => actions.align("left")} />
          <IconButton icon={AlignCenterVertical} label="Align centres" onClick={() => actions.align("centre")} />
          <IconButton icon={AlignEndVertical} label="Align right" onClick={() => actions.align("right")} />
          <IconButton icon={AlignStartHorizontal} label="Align top" onClick={() => actions.align("top")} />
          <IconButton icon={AlignCenterHorizontal} label="Align middles" onClick={() => actions.align("middle")} />
          <IconButton icon={AlignEndHorizontal} label="Align bottom" onClick={() => actions.align("bottom")} />
          <IconButton
            icon={AlignHorizontalDistributeCenter}
            label="Distribute across"
            onClick={() => actions.distribute("horizontal")}
          />
          <IconButton
            icon={AlignVerticalDistributeCenter}
            label="Distribute down"
            onClick={() => actions.distribute("vertical")}
          />
          <IconButton icon={LayoutGrid} label="Arrange along the edges" onClick={() => actions.arrange()} />
        </div>
      </Section>
      <Section>
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => actions.group()}>
            <Group className="size-3.5" aria-hidden="true" />
            Group
          </Button>
          <Button size="sm" onClick={() => actions.toggleDisabled()}>
            Enable or disable
          </Button>
          <Button size="sm" onClick={() => ui.set({ dialog: { type: "publish", ids: [...ui.get().selected] } })}>
            <Blocks className="size-3.5" aria-hidden="true" />
            Publish
          </Button>
          {copy}
          <Button size="sm" onClick={() => actions.remove()}>
            <Trash2 className="size-3.5" aria-hidden="true" />
            Delete
          </Button>
        </div>
      </Section>
    </>
  );
}
