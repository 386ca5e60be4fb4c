import { applyChange } from "@miranda/contract/graph/apply-change.ts";
import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import { isViewOnly } from "@miranda/contract/graph/view-only.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import type { GraphResponse, Node, Position } from "@miranda/contract/schemas/nodes.ts";

import { patchNode } from "@miranda/contract/graph/edit-content.ts";
import { contentOf, emptyContent, type GraphContent } from "@miranda/contract/graph/content.ts";
import {
  nothingResolved,
  type ResolvedContent,
  resolveContent,
} from "@miranda/contract/graph/resolution/resolve-content.ts";

export type Apply = (content: GraphContent) => GraphContent;

/** Stands where a node will be. */
export interface Ghost {
  id: number;
  position: Position;
}

/** What the canvas draws. */
export interface GraphView {
  readonly loaded: boolean;
  readonly viewOnly: boolean;
  readonly resolved: ResolvedContent;
  readonly ghosts: readonly Ghost[];
}

interface Pending {
  apply: Apply;
  /** The revision that holds this change, once the server has said it. */
  revision?: number;
}

interface Hint {
  apply: Apply;
  sender: string;
  expires: ReturnType<typeof setTimeout>;
}

/** How long another person's word stands without the server's. */
const hintLife = 4_000;

export type GraphStore = ReturnType<typeof createGraphStore>;

/**
 * The server's state, and on top of it what others have said they do and what this person does: each is taken back by
 * leaving it out. Nothing optimistic ever enters the server's state, so nothing has to be undone there.
 */
export function createGraphStore() {
  const watchers = new Set<() => void>();
  const pending = new Set<Pending>();
  const hints = new Map<string, Hint>();
  let base = emptyContent;
  let revision = -1;
  let ghostCount = 0;
  let view: GraphView = {
    loaded: false,
    viewOnly: isViewOnly(undefined),
    resolved: nothingResolved,
    ghosts: [],
  };

  function show(changes: Partial<GraphView>): void {
    view = { ...view, ...changes };
    for (const watcher of watchers) watcher();
  }

  function settle(): void {
    let content = base;
    for (const { apply } of hints.values()) content = apply(content);
    for (const { apply } of pending) content = apply(content);
    const resolved = resolveContent(content, view.resolved);
    if (resolved !== view.resolved) show({ resolved });
  }

  function forget(): void {
    for (const one of pending) if (one.revision !== undefined && one.revision <= revision) pending.delete(one);
  }

  function dropHint(target: string): void {
    const hint = hints.get(target);
    if (!hint) return;
    clearTimeout(hint.expires);
    hints.delete(target);
  }

  return {
    view: () => view,
    revision: () => revision,
    /** What the server has, without anybody's unconfirmed changes. */
    base: () => base,
    content: () => view.resolved.content,

    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },

    load(response: GraphResponse): void {
      const known = base;
      base = keepUpdates(contentOf(response), known);
      ({ revision } = response);
      for (const target of hints.keys()) dropHint(target);
      forget();
      const viewOnly = isViewOnly(response);
      if (!view.loaded || viewOnly !== view.viewOnly) view = { ...view, loaded: true, viewOnly };
      settle();
      show({});
    },

    /** Applies the next change of the server. False when the graph must be fetched again instead. */
    receive(change: GraphChange): boolean {
      const changed = applyChange(base, change);
      if (!changed) return false;
      base = changed;
      ({ revision } = change);
      for (const target of touched(change)) if (hints.get(target)?.sender === change.by) dropHint(target);
      forget();
      settle();
      return true;
    },

    /** One node as the server has it now. */
    refresh(node: Node): void {
      base = { ...base, nodes: { ...base.nodes, [node.metadata_id]: node } };
      settle();
    },

    /** What the server pushes without a revision. */
    patch(metadataId: number, changes: Partial<Node>): void {
      base = patchNode(base, metadataId, changes);
      settle();
    },

    /** Shows a change before the server has it. */
    begin(apply: Apply) {
      const own: Pending = { apply };
      pending.add(own);
      settle();
      return {
        /** The server has it, and this is what it came to: kept until the server's own word on it is here. */
        confirm(at: number, settled?: Apply): void {
          own.revision = at;
          if (settled) own.apply = settled;
          forget();
          settle();
        },
        rollBack(): void {
          pending.delete(own);
          settle();
        },
      };
    },

    /** What another person says they did. It goes when the server speaks of the same thing, or when it never does. */
    hint(target: string, sender: string, apply: Apply): void {
      dropHint(target);
      const expires = setTimeout(() => {
        hints.delete(target);
        settle();
      }, hintLife);
      hints.set(target, { apply, sender, expires });
      settle();
    },

    addGhost(position: Position): () => void {
      ghostCount += 1;
      const ghost = { id: ghostCount, position };
      show({ ghosts: [...view.ghosts, ghost] });
      return () => show({ ghosts: view.ghosts.filter((one) => one !== ghost) });
    },

    setViewOnly: (viewOnly: boolean) => show({ viewOnly }),
  };
}

/** A refresh does not say which templates have newer code; what is known of it holds until the node's code changes. */
function keepUpdates(content: GraphContent, known: GraphContent): GraphContent {
  if (!Object.values(known.nodes).some(({ update }) => update)) return content;
  const nodes = Object.entries(content.nodes).map(([key, node]): [string, Node] => {
    const update = known.nodes[key]?.update;
    if (!update || node.update || update.source_code === node.source_code) return [key, node];
    return [key, { ...node, update }];
  });
  return { ...content, nodes: Object.fromEntries(nodes) };
}

/** What a hint and a change can both be about. */
export const targets = {
  /** Whether it is there at all. */
  node: (id: number) => `node ${id}`,
  fields: (id: number) => `fields ${id}`,
  position: (id: number | string) => `position ${id}`,
  attribute: (id: number, name: string) => `attribute ${id} ${name}`,
  api: (id: number) => `api ${id}`,
  edge: (key: string) => `edge ${key}`,
} as const;

function touched(change: GraphChange): string[] {
  return [
    ...(change.nodes ?? []).flatMap(({ metadata_id, ...fields }) => [
      targets.node(metadata_id),
      targets.fields(metadata_id),
      ...(fields.api ? [targets.api(metadata_id)] : []),
      ...(fields.position ? [targets.position(metadata_id)] : []),
    ]),
    ...(change.deleted_nodes ?? []).map(targets.node),
    ...Object.keys(change.positions ?? {}).map(targets.position),
    ...Object.keys(change.disabled ?? {}).map((id) => targets.api(Number(id))),
    ...(change.attributes ?? []).map(({ metadata_id, name }) => targets.attribute(metadata_id, name)),
    ...[...(change.edges ?? []), ...(change.deleted_edges ?? [])].map((edge) => targets.edge(edgeKey(edge))),
  ];
}
