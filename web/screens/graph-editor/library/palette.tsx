import { useEffect, useRef } from "react";

import { useBlueprints, usePrefabs } from "../../../api/templates.ts";
import { debounce } from "../../../limits.ts";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { classes } from "../../../ui/classes.ts";
import { useReturnedFocus } from "../../../ui/overlay/use-returned-focus.ts";
import { useEditor, useUi } from "../editor-context.tsx";
import type { Palette as PaletteState } from "../editor-state.ts";
import { ItemPreview } from "./item-preview.tsx";
import { ItemRow } from "./item-row.tsx";
import {
  blueprintItem,
  byCategory,
  fittingItems,
  newItems,
  type PaletteItem,
  prefabItem,
  searchItems,
} from "./palette-items.ts";
import { QuickList } from "./quick-list.tsx";

export function Palette() {
  const palette = useUi((state) => state.palette);
  return palette ? <OpenPalette palette={palette} key={`${palette.screen.x} ${palette.screen.y}`} /> : null;
}

const size = { width: 320, height: 380, preview: 264 } as const;

/** The list of what can be added, at the pointer. */
function OpenPalette({ palette }: { palette: PaletteState }) {
  const { ui, actions } = useEditor();
  const { text, setText, committed } = useDebouncedText(debounce.filter);
  const prefabs = usePrefabs(committed.trim());
  const blueprints = useBlueprints(committed.trim());
  const panel = useRef<HTMLDivElement>(null);
  const all: PaletteItem[] = [
    ...byCategory([...newItems, ...prefabs.items.map((prefab) => prefabItem(prefab))]),
    ...blueprints.items.map((blueprint) => blueprintItem(blueprint)),
  ];
  const items = searchItems(fittingItems(all, palette.pulled), text);
  const close = () => ui.set({ palette: null });
  useReturnedFocus(panel);

  useEffect(() => {
    const onDown = (event: PointerEvent) => {
      if (!(event.target instanceof Node && panel.current?.contains(event.target))) ui.set({ palette: null });
    };
    addEventListener("pointerdown", onDown, true);
    return () => removeEventListener("pointerdown", onDown, true);
  }, [ui]);

  const left = Math.max(8, Math.min(palette.screen.x, innerWidth - size.width - 8));
  const hasRoomRight = left + size.width + size.preview + 16 <= innerWidth;
  const hasRoomLeft = left - size.preview - 16 >= 0;
  const top = Math.max(56, Math.min(palette.screen.y, innerHeight - size.height - 8));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it closes when the focus leaves its children
    <div
      ref={panel}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is not modal and is positioned by us
      role="dialog"
      aria-label="Add node"
      data-testid="palette"
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) close();
      }}
      style={{ left, top, width: size.width }}
      className="fixed z-40 animate-appear"
    >
      <div
        style={{ maxHeight: size.height }}
        className="flex flex-col overflow-hidden rounded-xl bg-raised shadow-high"
      >
        <QuickList
          renderActive={(item) =>
            hasRoomRight || hasRoomLeft ? (
              <div
                style={{ width: size.preview }}
                className={classes("absolute top-0", hasRoomRight ? "left-full ml-2" : "right-full mr-2")}
              >
                <ItemPreview item={item} className="rounded-xl bg-raised p-3 shadow-high" />
              </div>
            ) : null
          }
          label={palette.pulled ? "Add a node that fits" : "Add a node"}
          items={items}
          itemKey={(item) => item.key}
          text={text}
          onText={setText}
          onClose={close}
          onChoose={(item) => {
            close();
            void actions.add(item, palette.at, palette.pulled).then(actions.focusSelected);
          }}
          renderItem={(item) => <ItemRow item={item} />}
          footer={
            prefabs.query.hasNextPage || blueprints.query.hasNextPage ? (
              <p className="border-t border-line px-3 py-1.5 text-xs text-ink-faint">
                {text === "" ? "Type to search the whole library." : "Type more to narrow these."}
              </p>
            ) : null
          }
          empty={prefabs.query.isPending ? "Loading the library…" : "Nothing fits."}
        />
      </div>
    </div>
  );
}
