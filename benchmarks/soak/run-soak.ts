import type { Browser } from "@playwright/test";
import { setTimeout as sleep } from "node:timers/promises";

import { launch, watch, type Watcher } from "./browsers.ts";
import { leftProcesses, storedNumbers, wrongCredits, wrongNumbers, wrongRounds, wrongShown } from "./checks.ts";
import { disturb } from "./disturb.ts";
import type { Installation } from "./installation.ts";
import { endSession, type Rounds, runRounds, sessionOf, untilState } from "./load.ts";
import { editByCalls, editBySocket, type Edits, makeTeam, type Team } from "./people.ts";
import { type Plan, planFor, printingNode, shortRun } from "./plan.ts";
import type { Check, Report } from "./report.ts";
import { memoryOf, socketsOf, startSamples } from "./samples.ts";
import { openProxy } from "./proxy.ts";

const teamSize = 5;
/** Sockets of the server that belong to no person: those to the database, and listening ones. */
const ownSockets = 30;
const memoryGrowth = 1.3;

interface Work {
  edits: Edits[];
  rounds: Rounds[];
  /** The log of the server that was killed. */
  written: string;
}

/** The whole soak: people come, work while connections break, leave, and everything is checked. */
export async function runSoak(minutes: number, installation: Installation): Promise<Report> {
  const plan = planFor(minutes);
  await sleep(5_000);
  const fresh = await stateOf(installation);
  const watchers: Watcher[] = [];
  const marks: Report["marks"] = [];
  const sampling = startSamples({
    server: installation.server,
    browserMb: async () => Math.max(0, ...(await Promise.all(watchers.map(({ heapMb }) => heapMb())))),
  });
  const began = performance.now();
  const mark = (what: string): void => {
    marks.push({ at: (performance.now() - began) / 1_000, what });
    console.log(`${((performance.now() - began) / 1_000).toFixed(0)} s: ${what}`);
  };
  const steady = await openProxy(installation.port);
  const browser = await launch();
  try {
    mark("people come");
    const teams = await makeTeams(steady.url, plan);
    const { edits, rounds, written } = await work({
      installation,
      plan,
      teams,
      browser,
      url: steady.url,
      watchers,
      mark,
    });
    mark("checks");
    const checks = await checkWork({ installation, plan, watchers }, { edits, rounds, written });
    mark("people leave");
    for (const team of teams) await endSession(team);
    checks.push(await check("credits equal the ledger", () => wrongCredits(installation.database.db)));
    checks.push(await check("no process is left", () => leftProcesses(installation.database.db)));
    for (const { proxy, page } of watchers.splice(0)) {
      await page.context().close();
      await proxy.close();
    }
    await steady.close();
    await sleep(plan.rest * 1_000);
    const idle = await stateOf(installation);
    checks.push(...checkRest(fresh, idle));
    const acknowledged = edits.reduce((sum, one) => sum + one.acknowledged, 0);
    const lines = plan.lines * 2 + rounds.reduce((sum, { runs }) => sum + runs * shortRun.lines, 0);
    await sampling.stop();
    const { samples } = sampling;
    return { minutes, plan, fresh: fresh.memory, idle: idle.memory, acknowledged, lines, checks, marks, samples };
  } finally {
    await sampling.stop();
    await browser.close();
  }
}

async function stateOf({ server }: Installation): Promise<{ memory: number; sockets: number }> {
  const { pid } = server();
  return { memory: await memoryOf(pid), sockets: await socketsOf(pid) };
}

/** Two whose runs browsers watch, and two with short runs. */
async function makeTeams(url: string, plan: Plan): Promise<[Team, Team, ...Team[]]> {
  const make = (at: number, run: Pick<Plan, "lines" | "linesPerSecond">): Promise<Team> =>
    makeTeam(url, `team${at}x`, teamSize, printingNode(run, plan));
  return [await make(0, plan), await make(1, plan), await make(2, shortRun), await make(3, shortRun)];
}

interface Stage {
  installation: Installation;
  plan: Plan;
  teams: [Team, Team, ...Team[]];
  browser: Browser;
  url: string;
  watchers: Watcher[];
  mark(what: string): void;
}

async function work({ installation, plan, teams, browser, url, watchers, mark }: Stage): Promise<Work> {
  let isOver = false;
  const over = (): boolean => isOver;
  const edits = teams.flatMap((team) =>
    team.people.map((person, at) =>
      at % 2 === 0 ? editByCalls(team, person, over) : editBySocket(url, team, person, over),
    ),
  );
  const [first, second, ...others] = teams;
  const rounds = others.map((team) => runRounds(team, over));
  // They are awaited at the end. If one fails earlier, the program must still clean up before it ends.
  for (const one of [...edits, ...rounds]) one.catch(() => undefined);
  try {
    const watching = [
      await watch(browser, first, installation.port),
      await watch(browser, second, installation.port),
    ] as const;
    watchers.push(...watching);
    mark("load");
    const written = await disturb({ installation, plan, watchers: watching, mark });
    isOver = true;
    mark("load ends");
    const done = { edits: await Promise.all(edits), rounds: await Promise.all(rounds), written };
    for (const team of [first, second]) await untilState(team, 180, "READY");
    return done;
  } finally {
    isOver = true;
  }
}

/** A check that throws counts as failed. */
async function check(what: string, find: () => Promise<string[]> | string[]): Promise<Check> {
  try {
    return { what, wrong: await find() };
  } catch (error) {
    return { what, wrong: [String(error)] };
  }
}

async function checkWork(
  { installation, plan, watchers }: Pick<Stage, "installation" | "plan" | "watchers">,
  { edits, rounds, written }: Work,
): Promise<Check[]> {
  const { db } = installation.database;
  const checks = [
    await check("every acknowledged change is there", async () =>
      (await Promise.all(edits.map((one) => one.check()))).flat(),
    ),
    await check("the reader that stalled was closed", () =>
      written.includes("closed a connection that does not read its events") ? [] : ["the server's log does not say so"],
    ),
  ];
  for (const [at, watcher] of watchers.entries()) {
    checks.push(
      await check(`every line of run ${at + 1} is stored once`, async () => {
        const job = await sessionOf(watcher.team);
        return wrongNumbers(await storedNumbers(db, job?.id ?? ""), plan.lines);
      }),
      await check(`browser ${at + 1} shows every line once`, () => wrongShown(watcher, plan.lines)),
    );
  }
  for (const [at, round] of rounds.entries())
    checks.push(
      await check(`every line of the short runs ${at + 1} is stored once`, async () =>
        wrongRounds(round, await storedNumbers(db, round.jobId), shortRun.lines),
      ),
    );
  return checks;
}

type State = Awaited<ReturnType<typeof stateOf>>;

function checkRest(fresh: State, idle: State): Check[] {
  const most = Math.max(fresh.sockets, ownSockets);
  return [
    {
      what: "no socket is left",
      wrong: idle.sockets <= most ? [] : [`${idle.sockets} sockets, ${fresh.sockets} at first`],
    },
    {
      what: "memory came back",
      wrong:
        idle.memory <= fresh.memory * memoryGrowth
          ? []
          : [`${idle.memory.toFixed(0)} MB, ${fresh.memory.toFixed(0)} MB at first`],
    },
  ];
}
