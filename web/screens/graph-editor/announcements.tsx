import { useUi, useView } from "./editor-context.tsx";

/** Announces the selection and its position to screen readers. */
export function Announcements() {
  const selected = useUi((state) => state.selected);
  const [only] = selected;
  const node = useView((view) => (selected.size === 1 ? view.resolved.nodes[only ?? -1] : undefined));
  const text = node
    ? `${node.name} is selected, at ${Math.round(node.position.x)}, ${Math.round(node.position.y)}.`
    : selected.size > 1
      ? `${selected.size} nodes are selected.`
      : "";
  return (
    <output className="sr-only" data-testid="announcements">
      {text}
    </output>
  );
}
