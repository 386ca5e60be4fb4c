import { ClipboardPaste, FileUp, NotebookText, Plus } from "lucide-react";
import { type ComponentType, useRef } from "react";

import { useBlueprints } from "../../../api/templates.ts";
import { Button } from "../../../ui/button.tsx";
import { useEditor, useView, useViewOnly } from "../editor-context.tsx";
import { blueprintItem, type PaletteItem } from "../library/palette-items.ts";
import { acceptedFiles } from "./file-kinds.ts";

/** They show the range of the library: a first model, a forecast, pictures. */
const offered = ["Iris: your first model", "Forecast a series", "Read handwritten digits"];

/** What a workflow without nodes offers. It is gone with the first node. */
export function EmptyCanvas() {
  const viewOnly = useViewOnly();
  const isEmpty = useView((view) => view.ghosts.length === 0 && isEmptyRecord(view.resolved.nodes));
  if (!isEmpty) return null;
  return (
    <div className="pointer-events-none absolute inset-0 -z-10 grid place-items-center overflow-y-auto p-6 max-sm:pt-16">
      {viewOnly ? (
        <div className="flex max-w-sm flex-col items-center text-center">
          <h2 className="text-xl font-semibold">Nothing here yet</h2>
          <p className="mt-1.5 text-ink-muted text-pretty">This workflow has no nodes so far.</p>
        </div>
      ) : (
        <Start />
      )}
    </div>
  );
}

function Start() {
  const { ui, actions } = useEditor();
  return (
    <div
      role="presentation"
      // The pictures and buttons cover the canvas: a file that is dropped on them is meant for the canvas.
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void actions.takeFiles([...event.dataTransfer.files], actions.toCanvas({ x: event.clientX, y: event.clientY }));
      }}
      className="flex w-full max-w-3xl flex-col items-center text-center"
    >
      <h2 className="text-xl font-semibold">Start with a node</h2>
      <p className="mt-1.5 max-w-md text-ink-muted text-pretty">
        Double-click anywhere, or add something from the library. Drag from a port to connect nodes.
      </p>
      <div className="pointer-events-auto mt-5 flex flex-wrap justify-center gap-2">
        <Button variant="primary" onClick={() => actions.openPalette()}>
          <Plus className="size-4" aria-hidden="true" />
          Add a node
        </Button>
        <Button onClick={() => ui.set({ library: true })}>Open the library</Button>
      </div>
      <Blueprints />
      <div className="pointer-events-auto mt-5 flex flex-wrap justify-center gap-1">
        <StartButton icon={ClipboardPaste} onClick={() => void actions.paste()}>
          Paste
        </StartButton>
        <FileButton icon={FileUp} label="Choose a file" accept={acceptedFiles} />
        <FileButton icon={NotebookText} label="From a Python script or notebook" accept=".py,.ipynb" />
      </div>
    </div>
  );
}

function Blueprints() {
  const { items } = useBlueprints("");
  const shown = offered.flatMap((name) => items.find((one) => one.shipped && one.name === name) ?? []);
  // Room is kept for the pictures: the buttons below must not move under the pointer.
  if (shown.length === 0) return <div className="mt-7 h-52 max-sm:h-24" aria-hidden="true" />;
  return (
    <ul
      aria-label="Blueprints to start from"
      className="pointer-events-auto mt-7 grid w-full grid-cols-3 gap-4 max-sm:grid-cols-1 max-sm:gap-2"
    >
      {shown.map((one) => (
        <li key={one.id}>
          <BlueprintCard item={blueprintItem(one)} />
        </li>
      ))}
    </ul>
  );
}

function BlueprintCard({ item }: { item: PaletteItem }) {
  const { actions } = useEditor();
  return (
    <button
      type="button"
      data-testid="start-blueprint"
      onClick={() => void actions.add(item)}
      className="group flex h-full w-full flex-col overflow-hidden rounded-xl border border-line bg-surface text-left shadow-low transition-[border-color,box-shadow] hover:border-line-strong hover:shadow-high max-sm:flex-row max-sm:items-center"
    >
      {item.picture ? (
        <img
          src={item.picture}
          alt=""
          width={320}
          height={200}
          draggable={false}
          className="aspect-[16/10] w-full border-b border-line bg-sunken object-contain p-2 max-sm:w-24 max-sm:shrink-0 max-sm:border-r max-sm:border-b-0"
        />
      ) : null}
      <span className="block min-w-0 px-3 py-2.5">
        <span className="block text-sm font-medium">{item.title}</span>
        <span className="mt-0.5 line-clamp-2 block text-xs text-ink-muted">{item.description}</span>
      </span>
    </button>
  );
}

interface StartButtonProps {
  icon: ComponentType<{ className?: string }>;
  children: string;
  onClick: () => void;
}

function StartButton({ icon: Icon, children, onClick }: StartButtonProps) {
  return (
    <Button variant="ghost" onClick={onClick}>
      <Icon className="size-4" />
      {children}
    </Button>
  );
}

/** For people who cannot drop a file: they choose it. */
function FileButton({ icon, label, accept }: { icon: StartButtonProps["icon"]; label: string; accept: string }) {
  const { actions } = useEditor();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <StartButton icon={icon} onClick={() => input.current?.click()}>
        {label}
      </StartButton>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          void actions.takeFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

function isEmptyRecord(record: object): boolean {
  for (const _key in record) return false;
  return true;
}
