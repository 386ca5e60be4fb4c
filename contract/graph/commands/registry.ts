import type { Broadcast } from "../../schemas/broadcasts.ts";
import type { GraphContent } from "../content.ts";
import type { Answer, Command, CommandKind, CommandOf, CommandType, GraphCalls } from "./command.ts";
import { connect, disconnect, draw } from "./edge-commands.ts";
import { group, regroup } from "./group-commands.ts";
import { change, move, patch, set, unset } from "./node-commands.ts";
import { deletePart, restore } from "./part-commands.ts";
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
