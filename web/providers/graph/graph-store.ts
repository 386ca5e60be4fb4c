import { applyChange } from "@miranda/contract/graph/apply-change.ts";
import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import { isViewOnly } from "@miranda/contract/graph/view-only.ts";
import type { GraphPart } from "@miranda/contract/graph/graph-part.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import type { GraphResponse, Node, Position } from "@miranda/contract/schemas/nodes.ts";

import { patchNode } from "@miranda/contract/graph/edit-content.ts";
import { contentOf, emptyContent, type GraphContent } from "@miranda/contract/graph/content.ts";
import {
  nothingResolved,
  type ResolvedContent,
  resolveContent,
} from "@miranda/contract/graph/resolution/resolve-content.ts";

import { createStore } from "../../store.ts";
import { createLastChangers } from "./last-changers.ts";

export type Apply = (content: GraphContent) => GraphContent;

/** A placeholder where a node will be. */
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
  /** The revision of this change, once the server has confirmed it. */
  revision?: number;
}

interface Hint {
  apply: Apply;
  sender: string;
  expires: ReturnType<typeof setTimeout>;
}

/** How long a hint of another person stays when the server does not confirm it. */
const hintLife = 4_000;

export type GraphStore = ReturnType<typeof createGraphStore>;

/**
 * The server's state, and on top of it the hints of others and the pending changes of this person. A hint or a pending
 * change is taken back by leaving it out: the server's state never contains it, so nothing has to be undone there.
 */
export function createGraphStore(me: () => string | undefined = () => undefined) {
  const changers = createLastChangers(me);
  const pending = new Set<Pending>();
  const hints = new Map<string, Hint>();
  const waiting = new Set<{ revision: number; resolve: () => void }>();
  let base = emptyContent;
  let revision = -1;
  let ghostCount = 0;
  const view = createStore<GraphView>({
    loaded: false,
    viewOnly: isViewOnly(undefined),
    resolved: nothingResolved,
    ghosts: [],
  });

  function update(changes: Partial<GraphView>): void {
    view.set({ ...view.get(), ...changes });
  }

  function resolve(): ResolvedContent {
    let content = base;
    for (const { apply } of hints.values()) content = apply(content);
    for (const { apply } of pending) content = apply(content);
    return resolveContent(content, view.get().resolved);
  }

  function settle(): void {
    const resolved = resolve();
    if (resolved !== view.get().resolved) update({ resolved });
  }

  function forgetConfirmed(): void {
    for (const one of pending) if (one.revision !== undefined && one.revision <= revision) pending.delete(one);
  }

  function arrived(): void {
    for (const one of waiting) {
      if (one.revision > revision) continue;
      waiting.delete(one);
      one.resolve();
    }
  }

  function dropHint(target: string): void {
    const hint = hints.get(target);
    if (!hint) return;
    clearTimeout(hint.expires);
    hints.delete(target);
  }

  return {
    view: view.get,
    revision: () => revision,
    /** What the server has, without anybody's unconfirmed changes. */
    base: () => base,
    changers,
    /** Who else changed one of these parts last. A change that the server has not confirmed yet has a sender, too. */
    changerOf: (parts: readonly GraphPart[]): string | undefined =>
      changers.of(parts) ?? parts.flatMap(targetsOfPart).flatMap((target) => hints.get(target)?.sender ?? [])[0],
    /** Resolves once the server's state has this revision. */
    reaches: (wanted: number): Promise<void> =>
      new Promise((resolve) => {
        waiting.add({ revision: wanted, resolve });
        arrived();
      }),
    content: () => view.get().resolved.content,

    watch: view.watch,

    load(response: GraphResponse): void {
      const known = base;
      base = keepUpdates(contentOf(response), known);
      ({ revision } = response);
      changers.forgetOwn();
      for (const target of hints.keys()) dropHint(target);
      forgetConfirmed();
      update({ loaded: true, viewOnly: isViewOnly(response), resolved: resolve() });
      arrived();
    },

    /** Applies the next change of the server. False when the graph must be fetched again instead. */
    receive(change: GraphChange): boolean {
      const changed = applyChange(base, change);
      if (!changed) return false;
      base = changed;
      ({ revision } = change);
      changers.note(change);
      for (const target of touched(change)) if (hints.get(target)?.sender === change.by) dropHint(target);
      forgetConfirmed();
      settle();
      arrived();
      return true;
    },

    /** One node as the server has it now. */
    refresh(node: Node): void {
      base = { ...base, nodes: { ...base.nodes, [node.metadata_id]: node } };
      settle();
    },

    /** A change that the server publishes without a revision. */
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
        /** The server has it. It stays pending until the server's event of that revision is here. */
        confirm(at: number, settled?: Apply): void {
          own.revision = at;
          if (settled) own.apply = settled;
          forgetConfirmed();
          settle();
        },
        rollBack(): void {
          pending.delete(own);
          settle();
        },
      };
    },

    /** A change that another person broadcast. It is dropped when the server's event arrives, or after a few seconds. */
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
      update({ ghosts: [...view.get().ghosts, ghost] });
      return () => update({ ghosts: view.get().ghosts.filter((one) => one !== ghost) });
    },

    setViewOnly: (viewOnly: boolean) => update({ viewOnly }),
  };
}

/** A reload does not include which templates have newer code. What is known stays until the node's code changes. */
function keepUpdates(content: GraphContent, known: GraphContent): GraphContent {
  if (!Object.values(known.nodes).some(({ update }) => update)) return content;
  const nodes = Object.entries(content.nodes).map(([key, node]): [string, Node] => {
    const update = known.nodes[key]?.update;
    if (!update || node.update || update.source_code === node.source_code) return [key, node];
    return [key, { ...node, update }];
  });
  return { ...content, nodes: Object.fromEntries(nodes) };
}

/** Names what a hint or a change is about. */
export const targets = {
  /** Whether the node exists. */
  node: (id: number) => `node ${id}`,
  fields: (id: number) => `fields ${id}`,
  position: (id: number | string) => `position ${id}`,
  attribute: (id: number, name: string) => `attribute ${id} ${name}`,
  api: (id: number) => `api ${id}`,
  edge: (key: string) => `edge ${key}`,
} as const;

function targetsOfPart(part: GraphPart): string[] {
  switch (part.type) {
    case "node":
      return [targets.node(part.id)];
    case "value":
      return [targets.attribute(part.id, part.name), targets.api(part.id)];
    case "edge":
      return [targets.edge(edgeKey(part.ends))];
    case "field":
      return [targets.position(part.id), targets.fields(part.id), targets.api(part.id)];
    case "group":
      return [];
  }
}

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
