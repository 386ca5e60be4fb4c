import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";

import { keyFiles } from "../platform/cipher.ts";
import { systemCodeOf } from "../platform/errors/error-details.ts";
import { findPython } from "../platform/python.ts";
import type { Config } from "../platform/settings/config.ts";
import { type Finding, ok, problem, warning } from "./findings.ts";
import { safely } from "../platform/errors/safely.ts";

const oldestNode = 24;

export function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= oldestNode
    ? ok("Node", node)
    : problem(
        "Node",
        `${node} is too old`,
        `Start Miranda with npm, which brings Node ${oldestNode}: npm ci && npm start.`,
      );
}

export async function checkPython(): Promise<Finding> {
  const python = await findPython();
  return python
    ? ok("Python", `${python.version.join(".")} at ${python.executable}`)
    : problem("Python", "there is none from 3.11 on", "Install Python 3.11 or later, or name one in MIRANDA_PYTHON.");
}

export async function checkDataFolder({ dataFolder, processors }: Config): Promise<Finding> {
  const part = "Data folder";
  const found = await stat(dataFolder).catch(() => undefined);
  if (!found)
    return warning(part, `${dataFolder} does not exist`, "It is made by the first start. Is MIRANDA_DATA right?");
  if (!found.isDirectory()) return problem(part, `${dataFolder} is not a folder`, "Name a folder in MIRANDA_DATA.");
  try {
    await access(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return problem(
      part,
      `${dataFolder} may not be written by this account`,
      "Run this as the account of the server, or give it the folder.",
    );
  }
  const { bavail, bsize } = await statfs(dataFolder);
  const free = bavail * bsize;
  const room = `${(free / 1e9).toFixed(1)} GB are free`;
  if (free < processors.diskReserveBytes)
    return problem(part, `${dataFolder}: ${room}`, "Free some room: sessions are ended, and nothing is kept.");
  if (free < 4 * processors.diskReserveBytes) return warning(part, `${dataFolder}: ${room}`, "Free some room soon.");
  return ok(part, `${dataFolder}, ${room}`);
}

export async function checkKey({ dataFolder, secretKey, secretKeyOld }: Config): Promise<Finding> {
  const part = "Secret key";
  if (secretKey)
    return secretKeyOld
      ? warning(part, "two keys are in use", "Run `npm run rotate-key`, then remove MIRANDA_SECRET_KEY_OLD.")
      : ok(part, "from MIRANDA_SECRET_KEY");
  const files = keyFiles(dataFolder);
  const found = await stat(files.current).catch(() => undefined);
  if (!found) return ok(part, "made by the first start");
  if (found.size !== 32)
    return problem(part, `${files.current} is damaged`, "Put the file back from where you keep a copy.");
  if ((found.mode & 0o077) !== 0)
    return warning(part, `${files.current} may be read by others`, `chmod 600 ${files.current}`);
  const old = await stat(files.old).catch(() => undefined);
  if (old) return warning(part, "a rotation was cut", "Run `npm run rotate-key` again: it goes on.");
  return ok(part, files.current);
}

/** Only while no server runs: its own port is taken then. */
export async function checkPort({ host, port }: Config): Promise<Finding> {
  const part = "Port";
  const code = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once(
      "error",
      safely((error) => resolve(systemCodeOf(error) ?? "unknown")),
    );
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
  if (code === undefined) return ok(part, `${host}:${port} is free`);
  if (code === "EADDRINUSE")
    return problem(part, `${port} is in use by another program`, "Set PORT to another one, or end that program.");
  if (code === "EACCES") return problem(part, `${port} may not be used by this account`, "Set PORT to one above 1023.");
  return problem(part, `${host} is not an address of this machine (${code})`, "Set HOST to 127.0.0.1 or 0.0.0.0.");
}
