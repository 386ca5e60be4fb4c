import type { AdminMachine, AdminMachines } from "@miranda/contract/schemas/admin/machines.ts";

import type { Engine } from "../../../engines/engine.ts";
import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { createMachineQueries, type MachineRow } from "./machines-queries.ts";
import { safely } from "../../../platform/errors/safely.ts";

interface Dependencies {
  db: Db;
  engine: Pick<Engine, "name" | "machines" | "setOpen">;
  settings: { most: number; mostPerAccount: number };
  /** Starts what waits. */
  pump: () => void;
  report: (error: unknown) => void;
}

const reportEvery = 10_000;

export type Machines = ReturnType<typeof createMachines>;

/** Where sessions run. Each server reports the machines of its engine; administrators close them to new sessions. */
export function createMachines({ db, engine, settings, pump, report }: Dependencies) {
  const queries = createMachineQueries(db);
  let timer: ReturnType<typeof setInterval> | undefined;
  let busy: Promise<void> | undefined;

  async function reportNow(): Promise<void> {
    for (const machine of await engine.machines()) await queries.save(engine.name, machine);
    await queries.forgetOld();
  }

  function look(): void {
    busy ??= reportNow()
      .catch(report)
      .finally(() => (busy = undefined));
  }

  async function list(): Promise<AdminMachines> {
    const [rows, slots] = await Promise.all([queries.list(), queries.countSlots(settings)]);
    return { machines: rows.map(toMachine), ...slots };
  }

  /** Its sessions go on. New ones wait, or go to other machines. */
  async function setClosed(caller: Caller, id: string, closing: { note: string } | null): Promise<AdminMachines> {
    await db.transaction().execute(async (trx) => {
      const machine = await queries.lock(trx, id);
      if (!machine) throw new AppError("machine_not_found");
      if (machine.isClosed === (closing !== null)) return;
      await queries.setClosed(trx, id, closing && { by: caller.accountId, note: closing.note });
      await recordAuditEvent(trx, {
        ...{ kind: closing ? "admin.machine_close" : "admin.machine_open", ...actorOf(caller) },
        subject: { kind: "machine", id, name: machine.name },
        ...(closing && { details: { note: closing.note } }),
      });
      // Last: when the engine does not answer, nothing is changed here either.
      await engine.setOpen?.(id, closing === null).catch(() => {
        throw new AppError("machine_away");
      });
    });
    if (closing === null) pump();
    return list();
  }

  return {
    list,
    close: (caller: Caller, id: string, note: string) => setClosed(caller, id, { note }),
    open: (caller: Caller, id: string) => setClosed(caller, id, null),

    start(): void {
      look();
      timer = setInterval(safely(look), reportEvery);
      timer.unref();
    },

    async stop(): Promise<void> {
      clearInterval(timer);
      await busy;
    },
  };
}

function toMachine({ closed_at, closer, close_note, seen_at, ...row }: MachineRow): AdminMachine {
  const closed = closed_at && { since: closed_at.toISOString(), by: closer, note: close_note };
  return { ...row, seen: seen_at.toISOString(), closed };
}
