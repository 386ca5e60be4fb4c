import { useUi, useView } from "./editor-context.tsx";

/** What is selected and where it is, for those who hear the canvas: it is told when it changes. */
export function Announcements() {
  const selected = useUi((state) => state.selected);
  const [only] = selected;
  const node = useView((view) => (selected.size === 1 ? view.resolved.nodes[only ?? -1] : undefined));
  const words = node
    ? `${node.name} is selected, at ${Math.round(node.position.x)}, ${Math.round(node.position.y)}.`
    : selected.size > 1
      ? `${selected.size} nodes are selected.`
      : "";
  return (
    <output className="sr-only" data-testid="announcements">
      {words}
    </output>
  );
}
