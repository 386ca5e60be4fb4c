const isMac = /mac|iphone|ipad/i.test(navigator.platform);
const mod = isMac ? "⌘" : "Ctrl+";
const alt = isMac ? "⌥" : "Alt+";
const shift = isMac ? "⇧" : "Shift+";

export const keyNames = {
  commit: `${mod}S`,
  find: `${mod}F`,
  undo: `${mod}Z`,
  redo: isMac ? "⇧⌘Z" : "Ctrl+Y",
  format: `${shift}${alt}F`,
  wrap: `${alt}Z`,
  logs: `${mod}J`,
  shortcuts: `${mod}${shift}/`,
  breakpoint: "F9",
} as const;

/** The content of the shortcut sheet. */
export const shortcutGroups: readonly { title: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "Node",
    keys: [
      ["Commit", keyNames.commit],
      ["Next and previous tab", `${alt}PageDown, ${alt}PageUp`],
      ["Close the tab", `${alt}W`],
      ["Logs", keyNames.logs],
      ["Show these shortcuts", keyNames.shortcuts],
      ["Handbook, at the name under the cursor", "F1"],
    ],
  },
  {
    title: "Write",
    keys: [
      ["Comment or uncomment", `${mod}/`],
      ["Move the line", `${alt}↑, ${alt}↓`],
      ["Copy the line", `${shift}${alt}↑, ${shift}${alt}↓`],
      ["Delete the line", `${shift}${mod}K`],
      ["Indent, outdent", `Tab, ${shift}Tab`],
      ["Complete", `${isMac ? "⌃" : "Ctrl+"}Space`],
      ["Arguments of the call", `${mod}${shift}Space`],
      ["Rename", "F2"],
      ["Format", keyNames.format],
    ],
  },
  {
    title: "Select and find",
    keys: [
      ["Find and replace", keyNames.find],
      ["Open a node by its name", `${mod}P`],
      ["Go to a symbol of any node", `${mod}${shift}O`],
      ["Search in all nodes", `${mod}${shift}F`],
      ["Add the next occurrence", `${mod}D`],
      ["Cursor above, below", `${mod}${alt}↑, ${mod}${alt}↓`],
      ["Add a cursor", `${alt}click`],
      ["Select a column", `${shift}${alt}drag`],
      ["Go to the definition", `F12, ${mod}click`],
      ["Next problem", "F8"],
      ["Go to line", `${isMac ? "⌃" : "Ctrl+"}G`],
      ["Fold, unfold", isMac ? "⌥⌘[, ⌥⌘]" : "Ctrl+Shift+[, Ctrl+Shift+]"],
      ["Wrap long lines", keyNames.wrap],
    ],
  },
  {
    title: "Run",
    keys: [
      ["Set or remove a breakpoint", keyNames.breakpoint],
      ["Edit its condition", `${shift}F9, right click`],
      ["Run, continue", "F5"],
      ["Interrupt", `${shift}F5`],
      ["Step over", "F10"],
      ["Step in, out", `F11, ${shift}F11`],
      ["Leave the editor with Tab", "Escape, then Tab"],
    ],
  },
];
