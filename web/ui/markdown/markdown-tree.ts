import { wordParts } from "../text/drawable-text.ts";

const deepest = 64;

interface TreeNode {
  type: string;
  tagName?: string;
  value?: string;
  properties?: { alt?: string };
  children?: TreeNode[];
}

/** A thousand nested quotes would overflow the stack of every later step. */
export function refuseDeepNesting() {
  return (tree: TreeNode): void => {
    let level: readonly TreeNode[] = [tree];
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > deepest) throw new Error("This text is nested too deeply to be shown as a document.");
      level = level.flatMap((node) => node.children ?? []);
    }
  };
}

const withinWords = new Set(["a", "code", "del", "em", "span", "strong", "sup"]);

/** Lets lines break inside long words. Words continue through emphasis and links, so they are measured across them. */
export function breakLongWords() {
  return (tree: TreeNode): void => {
    let word = 0;
    visit(tree);

    function visit(node: TreeNode): void {
      // Text that is not wrapped needs no break points.
      if (!node.children || node.tagName === "pre") return;
      node.children = node.children.flatMap((child) => {
        if (child.type === "text") return broken(child.value ?? "");
        // A picture that is not loaded is shown as its text, which may continue a word.
        if (child.tagName === "img") return [child, ...broken(child.properties?.alt ?? "").filter(isLineEnd)];
        const isWithinWord = withinWords.has(child.tagName ?? "");
        if (!isWithinWord) word = 0;
        visit(child);
        if (!isWithinWord) word = 0;
        return [child];
      });
    }

    function broken(text: string): TreeNode[] {
      const { parts, lastWordLength } = wordParts(text, word);
      word = lastWordLength;
      return parts.flatMap((value, at): TreeNode[] => [...(at > 0 ? [lineEnd()] : []), { type: "text", value }]);
    }
  };
}

function isLineEnd(node: TreeNode): boolean {
  return node.tagName === "wbr";
}

function lineEnd(): TreeNode {
  return { type: "element", tagName: "wbr", properties: {}, children: [] };
}
