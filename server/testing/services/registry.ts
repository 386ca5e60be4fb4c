import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { findProgram } from "../../../scripts/debian.ts";
import { finished, freePort, type TestDocker } from "./docker.ts";

const username = "puller";
const password = "what only the registry knows";
// Of that password; registries take no other kind of hash.
const hash = "$2b$05$abcdefghijklmnopqrstuuGxdbKi9YkoJEm/56ELS.mxmK4Le17c2";

/** A real registry of the test's own that demands a name and password. */
export class TestRegistry {
  readonly port: number;
  readonly password = password;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(folder: string, port: number, child: ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#process = child;
  }

  static async start(): Promise<TestRegistry> {
    const folder = await mkdtemp(join(tmpdir(), "miranda-registry-"));
    const port = await freePort("0.0.0.0");
    await writeFile(join(folder, "htpasswd"), `${username}:${hash}\n`);
    const settings = {
      version: "0.1",
      log: { level: "error", accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(folder, "files") } },
      http: { addr: `0.0.0.0:${port}` },
      auth: { htpasswd: { realm: "miranda", path: join(folder, "htpasswd") } },
    };
    await writeFile(join(folder, "settings.yaml"), JSON.stringify(settings));
    const program = findProgram("docker-registry") ?? "docker-registry";
    const child = spawn(program, ["serve", join(folder, "settings.yaml")], { stdio: "ignore" });
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/v2/`).then(
        ({ status }) => status === 401,
        () => false,
      );
    while (!(await answers())) {
      if (child.exitCode !== null) throw new Error("docker-registry did not start");
      await sleep(50);
    }
    return new TestRegistry(folder, port, child);
  }

  /** What `docker login` writes down for a registry. */
  login(address: string, secret = password): object {
    return { auths: { [address]: { auth: Buffer.from(`${username}:${secret}`).toString("base64") } } };
  }

  /** Pushes an image, and leaves it here under its old name only. */
  async push({ client }: TestDocker, image: string, name: string, tag: string): Promise<void> {
    await client.getImage(image).tag({ repo: name, tag });
    const pushed = client.getImage(name);
    await finished(client, await pushed.push({ tag, authconfig: { username, password } }));
    await client.getImage(`${name}:${tag}`).remove();
  }

  async close(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.kill();
    await exited;
    await rm(this.#folder, { recursive: true });
  }
}
