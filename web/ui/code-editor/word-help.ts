import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";

/** F1 asks for help about the word at the cursor, which may be none. */
export function wordHelp(onHelp: (word: string) => void): Extension {
  return keymap.of([
    {
      key: "F1",
      preventDefault: true,
      run: ({ state }) => {
        const word = state.wordAt(state.selection.main.head);
        onHelp(word ? state.sliceDoc(word.from, word.to) : "");
        return true;
      },
    },
  ]);
}
