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
  Lock,
  LockOpen,
  Power,
  PowerOff,
  Trash2,
} from "lucide-react";
import { useMemo } from "react";

import { Button } from "../../../ui/button.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ColourChoice } from "./colour-choice.tsx";
import { useEditor, useUi, useView, useViewOnly } from "../editor-context.tsx";
import { InspectorTags } from "./inspector-tags.tsx";
import { Section } from "../panel.tsx";

const icon = { className: "size-3.5", "aria-hidden": true } as const;

/** Actions for several nodes at once. */
export function InspectorSelection() {
  const { ui, actions } = useEditor();
  const viewOnly = useViewOnly();
  const selected = useUi((state) => state.selected);
  const all = useView((view) => view.resolved.nodes);
  const nodes = useMemo(() => [...selected].flatMap((id) => all[id] ?? []), [selected, all]);
  const [colour, ...others] = new Set(nodes.map((node) => node.colour));
  const areDisabled = nodes.every((node) => node.api.disabled);
  const areLocked = nodes.every((node) => node.locked);
  const copy = (
    <Button size="sm" onClick={() => void actions.copy()}>
      <Copy {...icon} />
      Copy
    </Button>
  );
  if (viewOnly)
    return (
      <Section>
        <InspectorTags nodes={nodes} disabled />
        {copy}
      </Section>
    );
  return (
    <>
      <Section>
        <InspectorTags nodes={nodes} disabled={areLocked} />
        <ColourChoice
          colour={others.length === 0 ? colour : undefined}
          disabled={areLocked}
          onChoose={(chosen) => actions.colour(chosen)}
        />
      </Section>
      <Section title="Align">
        <div className="-mx-1.5 flex justify-between">
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
            <Group {...icon} />
            Group
          </Button>
          <Button size="sm" disabled={areLocked} onClick={() => actions.toggleDisabled()}>
            {areDisabled ? <Power {...icon} /> : <PowerOff {...icon} />}
            {areDisabled ? "Enable" : "Disable"}
          </Button>
          <Button size="sm" onClick={() => actions.toggleLocked()}>
            {areLocked ? <LockOpen {...icon} /> : <Lock {...icon} />}
            {areLocked ? "Unlock" : "Lock"}
          </Button>
          <Button size="sm" onClick={() => ui.set({ dialog: { type: "publish", ids: [...ui.get().selected] } })}>
            <Blocks {...icon} />
            Publish
          </Button>
          {copy}
          <Button size="sm" onClick={() => actions.remove()}>
            <Trash2 {...icon} />
            Delete
          </Button>
        </div>
      </Section>
    </>
  );
}
