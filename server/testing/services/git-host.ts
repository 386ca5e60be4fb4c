import { execFile, type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { findProgram } from "../../../scripts/debian.ts";
import { freePort } from "./docker.ts";

const run = promisify(execFile);
/** A commit's author, without any git configuration. */
const environment = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Somebody Else",
  GIT_AUTHOR_EMAIL: "else@example.org",
  GIT_COMMITTER_NAME: "Somebody Else",
  GIT_COMMITTER_EMAIL: "else@example.org",
};

/** What a file holds, or where a link leads. */
export type Files = Record<string, string | Buffer | { link: string }>;

/** A host of repositories: git's own HTTP server behind TLS, and sshd. */
export class GitHost {
  readonly folder: string;
  /** What repositories' addresses call it. */
  readonly name: string;
  readonly #address: string;
  /** The authority that signed its certificate. */
  readonly authority: string;
  /** Who may use https. Without anybody, everybody may read and nobody may write. */
  users = new Map<string, string>();
  isPublic = false;
  /** While true, it answers nothing. */
  isSilent = false;
  readonly asked: string[] = [];
  readonly #https: Server;
  #sshd: ChildProcess | undefined;
  sshPort = 0;
  privateKey = "";
  /** A key that it does not know. */
  strangeKey = "";

  private constructor(folder: string, name: string, address: string, https: Server) {
    this.folder = folder;
    this.name = name;
    this.#address = address;
    this.authority = join(folder, "tls", "certificate.pem");
    this.#https = https;
    https.on("request", (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response));
  }

  static async open(name = "localhost", address = "127.0.0.1"): Promise<GitHost> {
    const folder = await mkdtemp(join(tmpdir(), "miranda-git-"));
    const tls = join(folder, "tls");
    await mkdir(tls);
    const key = join(tls, "key.pem");
    const certificate = join(tls, "certificate.pem");
    const names = ["-subj", "/CN=localhost", "-addext", `subjectAltName=DNS:localhost,IP:${address}`];
    const form = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"];
    await run("openssl", ["req", "-x509", ...form, "-keyout", key, "-out", certificate, ...names]);
    const https = createServer({ key: await readFile(key), cert: await readFile(certificate) });
    await new Promise<void>((resolve) => https.listen(0, address, resolve));
    return new GitHost(folder, name, address, https);
  }

  get port(): number {
    return (this.#https.address() as AddressInfo).port;
  }

  url(name: string): string {
    return `https://${this.name}:${this.port}/${name}.git`;
  }

  sshUrl(name: string): string {
    return `ssh://${userInfo().username}@${this.name}:${this.sshPort}${this.#path(name)}`;
  }

  #path(name: string): string {
    return join(this.folder, "repositories", `${name}.git`);
  }

  git(name: string, ...args: string[]): Promise<string> {
    return run("git", ["-C", this.#path(name), ...args], { env: environment, maxBuffer: 1 << 26 }).then(
      ({ stdout }) => stdout,
    );
  }

  async create(name: string, files?: Files): Promise<void> {
    await mkdir(this.#path(name), { recursive: true });
    await run("git", ["init", "-q", "--bare", "-b", "main", this.#path(name)], { env: environment });
    if (files) await this.commit(name, files, "Begin");
  }

  /** Another person commits and pushes. Returns the commit's hash. */
  async commit(name: string, files: Files, message: string, branch = "main"): Promise<string> {
    const clone = await mkdtemp(join(this.folder, "clone-"));
    const git = (...args: string[]) => run("git", ["-C", clone, ...args], { env: environment });
    await run("git", ["clone", "-q", this.#path(name), clone], { env: environment });
    await git("checkout", "-q", "-B", branch, ...((await this.#has(name, branch)) ? [`origin/${branch}`] : []));
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(clone, path)), { recursive: true });
      const isPlain = typeof content === "string" || Buffer.isBuffer(content);
      if (isPlain) await writeFile(join(clone, path), content);
      else await symlink(content.link, join(clone, path));
    }
    await git("add", "-A");
    await git("commit", "-q", "-m", message);
    await git("push", "-q", "origin", branch);
    const { stdout } = await git("rev-parse", "HEAD");
    await rm(clone, { recursive: true });
    return stdout.trim();
  }

  async #has(name: string, branch: string): Promise<boolean> {
    return this.git(name, "rev-parse", "-q", "--verify", `refs/heads/${branch}`).then(
      () => true,
      () => false,
    );
  }

  show(name: string, path: string, branch = "main"): Promise<string> {
    return this.git(name, "show", `${branch}:${path}`);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? "", "https://localhost");
    this.asked.push(`${request.method} ${pathname}${search}`);
    if (this.isSilent) return;
    const [, encoded = ""] = (request.headers.authorization ?? "").split(" ");
    const [user = "", word] = Buffer.from(encoded, "base64").toString().split(":");
    const isKnown = this.users.get(user) === word && word !== undefined;
    const isWriting = `${pathname}${search}`.includes("git-receive-pack");
    if (!isKnown && (!this.isPublic || isWriting)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    const backend = spawn("git", ["http-backend"], {
      env: {
        ...environment,
        GIT_PROJECT_ROOT: join(this.folder, "repositories"),
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        ...(isKnown && { REMOTE_USER: user }),
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    backend.on("close", () => {
      const whole = Buffer.concat(chunks);
      const end = whole.indexOf("\r\n\r\n");
      const headers = whole.subarray(0, end).toString().split("\r\n");
      const status = headers.find((line) => line.startsWith("Status:"))?.slice(8, 11) ?? "200";
      for (const line of headers) {
        const [key = "", value = ""] = line.split(/: (.*)/s);
        if (key !== "Status" && key !== "") response.setHeader(key, value);
      }
      response.writeHead(Number(status)).end(whole.subarray(end + 4));
    });
  }

  /** Accepts the key that is made here. */
  async openSsh(): Promise<void> {
    const ssh = join(this.folder, "ssh");
    await mkdir(ssh, { mode: 0o700 });
    const keys = ["host", "other", "person", "stranger"];
    for (const name of keys) await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(ssh, name)]);
    this.privateKey = await readFile(join(ssh, "person"), "utf8");
    this.strangeKey = await readFile(join(ssh, "stranger"), "utf8");
    this.sshPort = await freePort(this.#address);
    await mkdir("/run/sshd", { recursive: true });
    await this.#startSsh("host");
  }

  async #startSsh(hostKey: string): Promise<void> {
    const ssh = join(this.folder, "ssh");
    const lines = [
      `Port ${this.sshPort}`,
      `ListenAddress ${this.#address}`,
      `HostKey ${join(ssh, hostKey)}`,
      `AuthorizedKeysFile ${join(ssh, "person.pub")}`,
      "StrictModes no",
      "UsePAM no",
      "PasswordAuthentication no",
      "PermitRootLogin prohibit-password",
      "PidFile none",
    ];
    await writeFile(join(ssh, "config"), `${lines.join("\n")}\n`);
    this.#sshd = spawn(findProgram("sshd") ?? "sshd", ["-D", "-e", "-f", join(ssh, "config")], { stdio: "ignore" });
    while (!(await answers(this.#address, this.sshPort))) await sleep(20);
  }

  /** Pretends to be another machine at the same address. */
  async changeSshKey(): Promise<void> {
    const old = this.#sshd;
    const ended = new Promise((resolve) => old?.once("exit", resolve));
    old?.kill();
    await ended;
    await this.#startSsh("other");
  }

  async close(): Promise<void> {
    this.#sshd?.kill();
    this.#https.closeAllConnections();
    await new Promise<void>((resolve) => this.#https.close(() => resolve()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

function answers(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
