import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";

/** The value of a name such as `self.rows`, split at its dots, as text; undefined when it is unknown. */
export type ValueOf = (names: readonly string[]) => string | undefined;

/** Shows the value of the variable under the mouse, when it is known. */
export function valueHover(valueOf: ValueOf): Extension {
  return hoverTooltip((view, at) => {
    const found = nameAt(view.state, at);
    const value = found && valueOf(found.names);
    if (!found || value === undefined) return null;
    return {
      pos: found.from,
      end: found.to,
      above: true,
      create: () => {
        const dom = document.createElement("div");
        dom.className = "cm-value-hover";
        dom.dataset["testid"] = "value-hover";
        const name = document.createElement("b");
        name.textContent = found.names.join(".");
        dom.append(name, ` = ${value}`);
        return { dom };
      },
    };
  });
}

const names = new Set(["VariableName", "PropertyName"]);

/** The dotted name at a position. Calls and indices are left out: they would have to be evaluated. */
function nameAt(state: EditorState, at: number): { names: string[]; from: number; to: number } | undefined {
  const node = syntaxTree(state).resolveInner(at, -1);
  const here = names.has(node.name) ? node : syntaxTree(state).resolveInner(at, 1);
  if (!names.has(here.name)) return undefined;
  const isProperty = here.name === "PropertyName";
  const from = isProperty && here.parent?.name === "MemberExpression" ? here.parent.from : here.from;
  const text = state.sliceDoc(from, here.to);
  if (!/^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u.test(text)) return undefined;
  return { names: text.split("."), from, to: here.to };
}
