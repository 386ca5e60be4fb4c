import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { type RefObject, useEffect, useSyncExternalStore } from "react";
import { yCollab, yUndoManagerKeymap } from "y-codemirror.next";

import { errors } from "@miranda/contract/errors.ts";
import { node as limits } from "@miranda/contract/limits.ts";

import type { OpenCrash } from "../../providers/debugger/crash-store.ts";
import { pausedValues } from "../../providers/debugger/paused-values.ts";
import { useSession } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { helpAddress } from "../../shell/sdk-help.ts";
import { breakpointGutter, type GutterBreakpoint, setBreakpoints } from "../../ui/code-editor/breakpoint-gutter.ts";
import { editing, lengthLimit } from "../../ui/code-editor/extensions.ts";
import { lineMark, setLineMark, showLine } from "../../ui/code-editor/line-mark.ts";
import { valueHover } from "../../ui/code-editor/value-hover.ts";
import { wordHelp } from "../../ui/code-editor/word-help.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { useIde, useIdeView, useSharedCode } from "./ide-context.tsx";
import type { SharedCode } from "./shared-code.ts";

const writing = new Compartment();
const wrapping = new Compartment();

/** Binds an editor to a shared document until the document changes. */
export function useCodeView(
  code: SharedCode,
  host: RefObject<HTMLElement | null>,
  mayWrite: boolean,
): EditorView | null {
  const { ide } = useIde();
  const { live, gone } = useSharedCode(code);
  const { metadataId } = code;
  const { store, debug, crash, toggleBreakpoint } = useProcessor();
  const session = useSession();
  const wrap = useIdeView((view) => view.wrap);
  const view = useIdeView(() => ide.views.get(metadataId) ?? null);
  const isEditable = mayWrite && gone === undefined;

  useEffect(() => {
    const parent = host.current;
    if (!live || !parent) return;
    const text = live.text.toJSON();
    const toggle = (line: number) => {
      if (!session.store.view().viewOnly) toggleBreakpoint(metadataId, line);
    };
    const edit = (line: number) => {
      if (!session.store.view().viewOnly) debug.edit(metadataId, line);
    };
    const move = (points: readonly Pick<GutterBreakpoint, "line" | "condition" | "log">[]) => {
      const kept = Object.keys(store.ownBreakpoints()[metadataId] ?? {}).map(Number);
      // A step paused on a line without a breakpoint: its mark is among these lines and must not become a breakpoint.
      if (Object.keys(store.get().debugging.breakpoints[metadataId] ?? {}).length > kept.length) return;
      for (const line of kept)
        if (!points.some((point) => point.line === line)) store.unsetBreakpoint(metadataId, line);
      for (const { line, ...extras } of points) store.changeBreakpoint(metadataId, line, extras);
    };
    const ofPause = pausedValues(store, debug, metadataId);
    const ofCrash = crash.valuesOf(metadataId);
    const made = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          breakpointGutter({ onToggle: toggle, onEdit: edit, onMoved: move }),
          valueHover((names) => ofPause(names) ?? ofCrash(names)),
          keymap.of(yUndoManagerKeymap),
          wordHelp((word) => window.open(helpAddress(word), "_blank", "noopener")),
          editing(text),
          lineMark,
          yCollab(live.text, live.awareness, { undoManager: live.undo }),
          lengthLimit(limits.sourceCodeMax, () => toast.error(errors.code_too_long)),
          writing.of(writable(false)),
          wrapping.of([]),
          EditorView.updateListener.of((update) => {
            if (update.selectionSet || update.docChanged || update.focusChanged)
              ide.set({ cursor: cursorOf(update.state) });
          }),
        ],
      }),
    });
    ide.setView(metadataId, made);
    return () => {
      ide.setView(metadataId, undefined);
      made.destroy();
    };
  }, [live, host, ide, metadataId, store, debug, crash, session, toggleBreakpoint]);

  useEffect(() => view?.dispatch({ effects: writing.reconfigure(writable(isEditable)) }), [view, isEditable]);
  useEffect(() => view?.dispatch({ effects: wrapping.reconfigure(wrap ? EditorView.lineWrapping : []) }), [view, wrap]);
  useDebugMarks(view, metadataId);
  return view;
}

/** Shows breakpoints in the gutter, the paused line and the failed line. */
function useDebugMarks(view: EditorView | null, metadataId: number): void {
  const breakpoints = useProcessorState((state) => state.debugging.breakpoints[metadataId]);
  const exception = useProcessorState((state) => state.debugging.exception);
  const { crash } = useProcessor();
  const crashed = useSyncExternalStore(crash.watch, () => lineOf(crash.get(), metadataId));
  const failed = exception?.wobId === metadataId ? exception.line : crashed;
  const hit = Object.values(breakpoints ?? {}).find(({ triggered }) => triggered)?.line;
  useEffect(() => {
    const marks: GutterBreakpoint[] = Object.values(breakpoints ?? {}).map(({ line, triggered, condition, log }) => ({
      line,
      isHit: triggered,
      condition,
      log,
    }));
    view?.dispatch({ effects: setBreakpoints.of(marks) });
  }, [view, breakpoints]);
  useEffect(() => {
    if (!view) return;
    const line = hit ?? failed;
    const kind = hit === undefined ? "error" : "running";
    view.dispatch({ effects: setLineMark.of(line === undefined ? null : { line, kind }) });
    if (line !== undefined) showLine(view, line);
  }, [view, hit, failed]);
}

/** The line of the chosen frame of a crash, if it is in this node. */
function lineOf(crash: OpenCrash | undefined, metadataId: number): number | undefined {
  const frame = crash?.exception.frames[crash.frame];
  return frame?.node === metadataId ? frame.line : undefined;
}

function writable(isEditable: boolean) {
  // A view that is not editable could not be focused: a reader still selects, copies and searches.
  return [
    EditorState.readOnly.of(!isEditable),
    EditorView.contentAttributes.of({ "aria-readonly": String(!isEditable) }),
  ];
}

function cursorOf(state: EditorState) {
  const { main, ranges } = state.selection;
  const line = state.doc.lineAt(main.head);
  const selected = ranges.reduce((sum, range) => sum + range.to - range.from, 0);
  return { line: line.number, column: main.head - line.from + 1, selected, cursors: ranges.length };
}
