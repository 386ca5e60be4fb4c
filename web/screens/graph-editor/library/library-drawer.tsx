import { Trash2, X } from "lucide-react";
import * as Tabs from "radix-ui/tabs";
import { useRef, useState } from "react";
import { messageOf } from "../../../message-of.ts";
import { toast } from "../../../ui/overlay/toast.ts";

import type { UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";
import type { LibraryCategory } from "@miranda/contract/words/library-categories.ts";

import { loadMore } from "../../../api/pages.ts";
import { useBlueprints, usePrefabs, useTemplateCalls } from "../../../api/templates.ts";
import { countedTotal } from "../../../format/list-total.ts";
import { debounce } from "../../../limits.ts";
import { Button } from "../../../ui/button.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { SearchField } from "../../../ui/form/search-field.tsx";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { VirtualList } from "../../../ui/layout/virtual-list.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { useReturnedFocus } from "../../../ui/overlay/use-returned-focus.ts";
import { useEditor, useUi } from "../editor-context.tsx";
import { CategoryBar } from "./category-bar.tsx";
import { ItemPreview } from "./item-preview.tsx";
import { ItemRow } from "./item-row.tsx";
import {
  blueprintItem,
  byCategory,
  draggedItemType,
  newItems,
  type PaletteItem,
  prefabItem,
  searchItems,
} from "./palette-items.ts";

type Shelf = "prefabs" | "blueprints";

export function LibraryDrawer() {
  return useUi((state) => state.library) ? <OpenDrawer /> : null;
}

/** Prefabs and blueprints. Drag one onto the canvas, or press Enter to put it in the middle. */
function OpenDrawer() {
  const { ui } = useEditor();
  const { text, setText, committed } = useDebouncedText(debounce.filter);
  const [shelf, setShelf] = useState<Shelf>("prefabs");
  const [policy, setPolicy] = useState<UpdatePolicy>("linked");
  const [category, setCategory] = useState<LibraryCategory>();
  const [previewed, setPreviewed] = useState<string>();
  const prefabs = usePrefabs(committed.trim());
  const blueprints = useBlueprints(committed.trim());
  const { query } = shelf === "prefabs" ? prefabs : blueprints;
  const templates =
    shelf === "prefabs"
      ? byCategory([...newItems, ...prefabs.items.map((prefab) => prefabItem(prefab, policy))]).filter(
          (item) => category === undefined || item.category === category,
        )
      : blueprints.items.map((blueprint) => blueprintItem(blueprint, policy));
  const yours = new Set([...prefabs.items, ...blueprints.items].filter((one) => one.yours).map(({ id }) => id));
  const items = searchItems(templates, text);
  const panel = useRef<HTMLElement>(null);
  useReturnedFocus(panel);
  const close = () => ui.set({ library: false });

  return (
    <div className="relative flex min-h-0 w-72 max-w-[calc(100vw-1rem)] flex-1 flex-col">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- key events of its children bubble to it */}
      <aside
        ref={panel}
        aria-label="Library"
        data-testid="library"
        data-covers=""
        onKeyDown={(event) => {
          // Escape in a filled search box clears the box.
          if (event.key !== "Escape" || (event.target instanceof HTMLInputElement && text !== "")) return;
          event.stopPropagation();
          close();
        }}
        className="pointer-events-auto flex min-h-0 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-high"
      >
        <div className="flex items-center justify-between pt-2 pr-2 pl-4">
          <h2 className="mr-auto font-semibold">Library</h2>
          <Button size="sm" variant="ghost" onClick={() => ui.set({ dialog: { type: "templates" } })}>
            Your templates
          </Button>
          <IconButton icon={X} label="Close the library" onClick={close} />
        </div>
        <Tabs.Root
          value={shelf}
          onValueChange={(chosen) => setShelf(chosen === "blueprints" ? "blueprints" : "prefabs")}
          className="flex min-h-0 flex-1 flex-col"
        >
          <div className="flex flex-col gap-2 px-3 pb-2">
            <SearchField label="Search the library" value={text} onChange={(event) => setText(event.target.value)} />
            <Tabs.List className="flex gap-1" aria-label="Shelves">
              {(["prefabs", "blueprints"] as const).map((name) => (
                <Tabs.Trigger
                  key={name}
                  value={name}
                  className="h-7 flex-1 rounded-md text-sm font-medium text-ink-muted capitalize hover:bg-hover data-[state=active]:bg-accent-soft data-[state=active]:text-accent-text"
                >
                  {name}
                </Tabs.Trigger>
              ))}
            </Tabs.List>
            {shelf === "prefabs" ? <CategoryBar chosen={category} onChoose={setCategory} /> : null}
          </div>
          <Tabs.Content
            value={shelf}
            tabIndex={-1}
            className="flex min-h-0 flex-1 flex-col border-t border-line"
            data-testid="library-items"
          >
            <VirtualList
              search={`${shelf} ${category ?? ""} ${committed}`}
              label={shelf === "prefabs" ? "Prefabs" : "Blueprints"}
              items={items}
              itemKey={(item) => item.key}
              renderItem={(item) => (
                <LibraryItem
                  item={item}
                  shelf={shelf}
                  isYours={item.type !== "new" && yours.has(item.id)}
                  onPreview={setPreviewed}
                />
              )}
              rowHeight={44}
              className="min-h-0 flex-1 overflow-y-auto p-1.5"
              onEndNear={() => loadMore(query)}
              footer={
                <>
                  {query.isPending ? <LoadingArea label="Loading the library" /> : null}
                  {query.error ? (
                    <div className="p-4 text-center text-sm text-danger-text">
                      {query.error.message}
                      <Button size="sm" className="mt-2" onClick={() => void query.refetch()}>
                        Try again
                      </Button>
                    </div>
                  ) : null}
                  {query.data && items.length === 0 ? (
                    <p className="p-6 text-center text-sm text-ink-muted">
                      {text ? "Nothing found." : "Publish a selection of nodes, and it appears here."}
                    </p>
                  ) : null}
                </>
              }
            />
          </Tabs.Content>
        </Tabs.Root>
        {query.hasNextPage && query.data?.total !== undefined ? (
          <p className="border-t border-line px-4 py-1.5 text-xs text-ink-faint tabular-nums">
            {countedTotal(query.data.total, shelf.slice(0, -1))}. Scroll or search for more.
          </p>
        ) : null}
        <label className="flex items-center gap-2 border-t border-line px-4 py-2.5 text-xs text-ink-muted">
          <input
            type="checkbox"
            checked={policy === "linked"}
            onChange={(event) => setPolicy(event.target.checked ? "linked" : "detached")}
            className="accent-accent"
          />
          Linked: offer the template’s newer code
        </label>
      </aside>
      {/* Beside the drawer, above the canvas; small screens have no room for it. */}
      <div className="pointer-events-none absolute top-0 left-full ml-2 hidden w-64 sm:block">
        <ItemPreview
          item={items.find(({ key }) => key === previewed)}
          className="rounded-xl border border-line bg-raised p-3 shadow-high"
        />
      </div>
    </div>
  );
}

interface LibraryItemProps {
  item: PaletteItem;
  shelf: Shelf;
  isYours: boolean;
  /** Gets the key of the item that is pointed at or focused, and nothing when it no longer is. */
  onPreview: (key: string | undefined) => void;
}

function LibraryItem({ item, shelf, isYours, onPreview }: LibraryItemProps) {
  const { actions } = useEditor();
  const { remove } = useTemplateCalls();
  return (
    <div className="group/item relative">
      <button
        type="button"
        draggable
        data-testid="library-item"
        title={oneLine(item.description)}
        onDragStart={(event) => {
          // It would cover the place to drop the item at.
          onPreview(undefined);
          event.dataTransfer.setData(draggedItemType, JSON.stringify(item));
          event.dataTransfer.effectAllowed = "copy";
        }}
        onClick={() => void actions.add(item)}
        onPointerEnter={() => onPreview(item.key)}
        onPointerLeave={() => onPreview(undefined)}
        onFocus={() => onPreview(item.key)}
        onBlur={() => onPreview(undefined)}
        className="w-full cursor-grab rounded-md px-2 py-1.5 text-left hover:bg-hover"
      >
        <ItemRow item={item} />
      </button>
      {isYours && item.type !== "new" ? (
        <button
          type="button"
          aria-label={`Remove ${item.title} from the library`}
          onClick={() => {
            remove(shelf, item.id).catch((cause: unknown) => toast.error(messageOf(cause)));
          }}
          className="absolute top-2 right-1 hidden size-6 place-items-center rounded-sm bg-surface text-ink-faint group-hover/item:grid hover:text-danger-text focus-visible:grid"
        >
          <Trash2 className="size-3.5" aria-hidden="true" />
        </button>
      ) : null}
    </div>
  );
}
