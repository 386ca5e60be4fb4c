import type { Broadcast } from "../../schemas/broadcasts.ts";
import type { GraphContent } from "../content.ts";
import type {
  Answer,
  Command,
  CommandKind,
  CommandOf,
  CommandType,
  GraphCalls,
  Since,
  Skipped,
  UndoPart,
  UndoSplit,
} from "./command.ts";
import { connect, disconnect, draw } from "./edge-commands.ts";
import { group, regroup } from "./group-commands.ts";
import { change, move, patch, set, unset } from "./node-commands.ts";
import { deletePart, restore } from "./part-commands.ts";
import { together } from "./undo.ts";
import { restoreVersion } from "./version-commands.ts";

/** Several commands that are one step to undo. */
const several: CommandKind<"several"> = {
  apply: (content, { commands }) => commands.reduce(applyCommand, content),
  inverse(before, { commands }) {
    const inverses: Command[] = [];
    for (const [command, content] of steps(before, commands)) {
      const inverse = inverseOf(content, command);
      if (inverse) inverses.unshift(inverse);
    }
    return inverses.length > 0 ? { type: "several", commands: inverses } : undefined;
  },
  async call(calls, { commands }, before) {
    const settles: NonNullable<Answer["settle"]>[] = [];
    let revision = 0;
    for (const [command, content] of steps(before, commands)) {
      const answer = await callCommand(calls, command, content);
      revision = answer.revision;
      if (answer.settle) settles.push(answer.settle);
    }
    return { revision, settle: (content) => settles.reduce((settled, settle) => settle(settled), content) };
  },
  broadcasts: ({ commands }, before) =>
    [...steps(before, commands)].flatMap(([command, content]) => broadcastsOf(command, content)),
  touched: (content, { commands }) => {
    const parts = commands.map((command) => touchedBy(content, command));
    return {
      nodes: Object.assign({}, ...parts.map(({ nodes }) => nodes)),
      edges: Object.assign({}, ...parts.map(({ edges }) => edges)),
      groups: Object.assign({}, ...parts.map(({ groups }) => groups)),
    };
  },
  split: ({ commands }, { now, left, isOwnCode }) =>
    splitUndo(
      commands.map((command) => ({ command, left })),
      now,
      isOwnCode,
    ),
};

/** Each command with the graph that the commands before it leave: one may restore a node that the next one changes. */
function* steps(before: GraphContent, commands: readonly Command[]): Generator<[Command, GraphContent]> {
  let content = before;
  for (const command of commands) {
    yield [command, content];
    content = applyCommand(content, command);
  }
}

const kinds: { [Type in CommandType]: CommandKind<Type> } = {
  patch,
  move,
  set,
  unset,
  change,
  connect,
  disconnect,
  draw,
  delete: deletePart,
  restore,
  group,
  regroup,
  restoreVersion,
  several,
};

function kindOf<Type extends CommandType>(command: CommandOf<Type>): CommandKind<Type> {
  return kinds[command.type];
}

export function applyCommand(content: GraphContent, command: Command): GraphContent {
  return kindOf(command).apply(content, command);
}

export function inverseOf(before: GraphContent, command: Command): Command | undefined {
  return kindOf(command).inverse(before, command);
}

export function callCommand(calls: GraphCalls, command: Command, before: GraphContent): Promise<Answer> {
  return kindOf(command).call(calls, command, before);
}

export function broadcastsOf(command: Command, before: GraphContent): readonly Broadcast[] {
  return kindOf(command).broadcasts(command, before);
}

export function touchedBy(content: GraphContent, command: Command): GraphContent {
  return kindOf(command).touched(content, command);
}

/** What undoes a command, in the order in which it is undone. Each command of several is undone by itself. */
export function undoPartsOf(before: GraphContent, command: Command): UndoPart[] {
  if (command.type !== "several") {
    const inverse = inverseOf(before, command);
    return inverse ? [{ command: inverse, left: touchedBy(applyCommand(before, command), inverse) }] : [];
  }
  return [...steps(before, command.commands)]
    .map(([one, content]) => undoPartsOf(content, one))
    .toReversed()
    .flat();
}

/** Splits an undo step into what can be undone now and what would overwrite the work of somebody else. */
export function splitUndo(parts: readonly UndoPart[], start: GraphContent, isOwnCode: Since["isOwnCode"]): UndoSplit {
  const free: Command[] = [];
  const taken: Command[] = [];
  const skipped: Skipped[] = [];
  let now = start;
  for (const { command, left } of parts) {
    const split = kindOf(command).split(command, { now, left, isOwnCode });
    if (split.free) {
      free.push(split.free);
      now = applyCommand(now, split.free);
    }
    if (split.taken) taken.push(split.taken);
    skipped.push(...split.skipped);
  }
  return { free: together(free), taken: together(taken), skipped };
}
