import type { LogEntry } from "@miranda/contract/schemas/processors.ts";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sandboxProblem } from "../../scripts/sandbox.ts";
import { readConfig } from "../platform/settings/config.ts";
import { agentOf } from "../testing/engine-under-test.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import { forge, script, Workbench } from "../testing/workbench.ts";

// The attacks of a penetration test: each is performed and must fail.

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

describe.skipIf(sandboxProblem() !== undefined)("node code in the sandbox", { timeout: 60_000 }, () => {
  let server: TestServer;
  let outside: string;
  let listener: Server;
  beforeAll(async () => {
    const environment = {
      MIRANDA_ENGINE: "local",
      MIRANDA_PROCESSOR_RAM_GB: "0.5",
      MIRANDA_PROJECT_DISK_GB: "0.05",
      MIRANDA_PROCESSOR_DISK_GB: "0.1",
    };
    server = await startTestServer({ processors: readConfig(environment).processors });
    outside = await mkdtemp(join(tmpdir(), "miranda-outside-"));
    await writeFile(join(outside, "known_hosts"), "host ssh-ed25519 c2VjcmV0\n", { mode: 0o600 });
    listener = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => listener.listen(0, "0.0.0.0", resolve));
  }, 60_000);
  afterAll(async () => {
    listener.close();
    await server.close();
    await rm(outside, { recursive: true, force: true });
  });

  async function attack(...lines: string[]): Promise<Workbench> {
    const bench = await Workbench.open(server);
    await bench.node(script(...forge, ...lines));
    await bench.start();
    return bench;
  }

  const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);
  const allOf = async (bench: Workbench): Promise<string> =>
    (await bench.logs("?log_lines=10000")).map(({ message }: LogEntry) => message).join("\n");

  it("has no account, capability, namespace or descriptor of the server (C3)", async () => {
    const bench = await attack(
      "status = open('/proc/self/status').read()",
      "fields = dict(line.split(':', 1) for line in status.splitlines())",
      "for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp'): print(name, fields[name].strip().lstrip('0') or '0')",
      "print('uid', os.getuid(), 'groups', os.getgroups())",
      "print('ns', *(os.readlink(f'/proc/self/ns/{name}') for name in ('user', 'mnt', 'pid', 'ipc', 'net', 'uts')))",
      "print('open', sorted(int(fd) for fd in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{fd}')))",
      "for path in ('/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sysrq-trigger', '/etc/passwd', '/usr/lib/x', '/dev/x', '/x', '/run/x'):",
      "    try: open(path, 'w'); print('writes', path)",
      "    except OSError: pass",
      "for path in ('/etc/shadow', '/etc/gshadow', '/etc/ssh', '/etc/sudoers', '/root/.ssh', '/home', '/var', '/boot', '/srv', '/mnt'):",
      "    if os.path.exists(path): print('sees', path)",
      "print(*[name for name in os.environ if 'TOKEN' in name or 'SECRET' in name or 'DATABASE' in name or 'PASS' in name])",
    );
    await bench.run();
    const lines = await texts(bench);
    const own = await Promise.all(
      ["user", "mnt", "pid", "ipc", "net", "uts"].map((name) => readlink(`/proc/self/ns/${name}`)),
    );
    const theirs =
      lines
        .find((line) => line.startsWith("ns "))
        ?.split(" ")
        .slice(1) ?? [];
    expect(theirs.filter((name, at) => name === own[at])).toEqual([]);
    for (const name of ["CapInh", "CapPrm", "CapEff", "CapAmb"]) expect(lines).toContain(`${name} 0`);
    expect(lines).toContain("NoNewPrivs 1");
    expect(lines).toContain("Seccomp 2");
    if (isRoot) expect(Number(lines.find((line) => line.startsWith("uid "))?.split(" ")[1])).toBeGreaterThan(1_000_000);
    expect(lines.filter((line) => /^(writes|sees) /.test(line))).toEqual([]);
    const open = lines.find((line) => line.startsWith("open ")) ?? "";
    expect(Math.max(...(JSON.parse(open.slice(5)) as number[]))).toBeLessThan(20);
    // Its own MLflow token, which is worth something in this session only.
    expect(lines.at(-1)).toBe("MLFLOW_TRACKING_TOKEN");
    bench.close();
  });

  it("cannot make the system calls that kernel exploits start with (C3)", async () => {
    const bench = await attack(
      "import ctypes, errno, platform",
      "libc = ctypes.CDLL(None, use_errno=True)",
      "def call(number, *arguments):",
      "    found = libc.syscall(number, *arguments)",
      "    return found if found >= 0 else errno.errorcode[ctypes.get_errno()]",
      "arm = platform.machine() == 'aarch64'",
      "tries = {'unshare': (97 if arm else 272, 0x10000000), 'clone': (220 if arm else 56, 0x10000011, 0, 0, 0, 0), 'mount': (40 if arm else 165, 0, 0, 0, 0, 0),",
      "  'ptrace': (117 if arm else 101, 0, 0, 0, 0), 'bpf': (280 if arm else 321, 0, 0, 0), 'keyctl': (219 if arm else 250, 0, 0), 'io_uring': (425, 1, 0), 'chroot': (51 if arm else 161, b'/tmp'),",
      "  'packet socket': (198 if arm else 41, 17, 3, 0), 'vsock': (198 if arm else 41, 40, 1, 0), 'netfilter': (198 if arm else 41, 16, 3, 12), 'crypto socket': (198 if arm else 41, 38, 5, 0),",
      "  'shared memory': (194 if arm else 29, 0, 4096, 0o1600), 'handles': (265 if arm else 304, 0, 0, 0), 'perf': (241 if arm else 298, 0, 0, 0, 0, 0)}",
      "for name, call_of in tries.items(): print(name, call(*call_of))",
      "print('clone3', call(435, 0, 0), 'unix', call(198 if arm else 41, 1, 1, 0) > 0, 'routes', call(198 if arm else 41, 16, 3, 0) > 0)",
    );
    await bench.run();
    const lines = await texts(bench);
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/ (EPERM|EAFNOSUPPORT)$/);
    expect(lines).toHaveLength(16);
    expect(lines.at(-1)).toBe("clone3 ENOSYS unix True routes True");
    bench.close();
  });

  it("reaches no service of this machine or its networks at any address (C4)", async () => {
    const { port } = listener.address() as AddressInfo;
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const own = [...new Set(["127.0.0.1", "::1", "0.0.0.0", ...addresses.map(({ address }) => address.split("%")[0])])];
    const near = ["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "fd00::1", "fe80::1"];
    const bench = await attack(
      "import socket",
      `for host in ${JSON.stringify([...own, ...near])}:`,
      `    for port in (${port}, ${new URL(server.url).port}, 5432, 80):`,
      "        try: socket.create_connection((host, port), 2).close(); print('reaches', host, port)",
      "        except OSError as error: print(type(error).__name__, host, port)",
      "names = [line.split()[-1] for line in open('/proc/net/unix').read().splitlines()[1:] if '@' in line]",
      "print('abstract sockets', len(names))",
    );
    await bench.run();
    const lines = await texts(bench);
    expect(lines.filter((line) => line.startsWith("reaches"))).toEqual([]);
    for (const host of near)
      expect(
        lines.filter((line) => line.includes(` ${host} `)).every((line) => /PermissionError|OSError/.test(line)),
      ).toBe(true);
    expect(lines.at(-1)).toBe("abstract sockets 0");
    bench.close();
  });

  it("cannot make the server read or write a file through a link (C1, C2)", async () => {
    const bench = await Workbench.open(server);
    const node = await bench.node(
      script(
        ...forge,
        "import time",
        `outside = ${JSON.stringify(outside)}`,
        "os.symlink(outside, 'files'); os.makedirs('.git-1/1'); os.symlink(outside + '/known_hosts', '.git-1/1/known_hosts')",
        "for number in range(5):",
        "    send({'kind': 'file', 'question': number, 'file': 'HASH', 'name': '../../../x'})",
        "time.sleep(1)",
        "print(os.listdir('files') if os.path.exists('files') else 'nothing there')",
      ),
    );
    const form = new FormData();
    form.append("file", new Blob(["planted"]), "planted.txt");
    const { file } = (await bench.owner.send("POST", `/api/v3/objects/${node}/files`, form)).json<{ file: string }>();
    const source = (await bench.owner.get(`/api/v3/objects/${node}?wob_type=CODE_BLOCK`)).json<{
      source_code: string;
    }>();
    await bench.code(node, source.source_code.replace("HASH", file));
    await bench.start();
    await bench.run();
    expect((await texts(bench)).at(-1)).toBe("nothing there");
    expect(await readdir(outside)).toEqual(["known_hosts"]);
    bench.close();
  });

  it.each([
    ["usage", { kind: "usage", sample: 1e9, seconds: 0, cpu_seconds: 0, ram_gb: 0 }],
    ["usage that somebody else pays", { kind: "usage", sample: 2, seconds: 1e6, cpu_seconds: 1e8, ram_gb: 1e5 }],
    ["a state", { kind: "state", state: "EXITED", reason: null, command: 1e9 }],
    ["lines of another node's log", { kind: "log", tag: 0, at: 0, text: "forged", node: 1 }],
    ["the end of a git command", { kind: "done", command: "git-pull", number: 1, error: null, summary: "" }],
  ])("cannot claim %s: its session ends, and nobody is charged for it (H1)", async (_what, message) => {
    const bench = await attack(
      "import time",
      `send(json.loads(${JSON.stringify(JSON.stringify(message))}))`,
      "time.sleep(20)",
    );
    await bench.until("start", "-1", "RUNNING");
    expect((await bench.state(0, "ERROR")).workflow_state).toBe("ERROR");
    expect(await allOf(bench)).toContain("The session was ended: node code wrote to the worker's own channel");
    expect(await allOf(bench)).not.toContain("forged");
    const { total_cost, cpu_seconds } = await bench.job();
    expect(total_cost ?? 0).toBeLessThan(0.05);
    expect(cpu_seconds).toBeLessThan(60);
    const { credits } = await server.db
      .selectFrom("accounts")
      .select("credits")
      .where("id", "=", bench.owner.account.id)
      .executeTakeFirstOrThrow();
    expect(credits).toBeGreaterThan(99);
    bench.close();
  });

  it("cannot exhaust its agent with a false length or with many questions (M2)", async () => {
    const bench = await attack(
      "import time",
      "for number in range(3000): send({'kind': 'secret', 'question': number, 'key': 'nothing'})",
      "time.sleep(30)",
    );
    await bench.until("start", "-1", "RUNNING");
    const agent = await agentOf(bench.jobId);
    let most = 0;
    for (let look = 0; look < 20; look++) {
      const status = await readFile(`/proc/${agent}/status`, "utf8");
      most = Math.max(most, Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(most).toBeLessThan(30);
    await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    bench.close();

    const liar = await attack(
      "import time",
      "os.write(channel, b'\\xff\\xff\\xff\\xff\\x00' + b'x' * 100000)",
      "time.sleep(20)",
    );
    await liar.run();
    expect(await allOf(liar)).toContain("The link of a process is broken: a frame of 4,294,967,295 bytes");
    expect((await liar.job()).workflow_state).toBe("READY");
    liar.close();
  });

  it.each([
    ["/tmp", "[open(f'/tmp/{n}', 'wb').write(bytes(90_000_000)) for n in range(8)]"],
    ["/dev/shm", "[open(f'/dev/shm/{n}', 'wb').write(bytes(90_000_000)) for n in range(8)]"],
    [
      "a process whose first thread has ended",
      "os.fork() or (__import__('threading').Thread(target=lambda: (bytearray(b'x') * 700_000_000, time.sleep(30)), daemon=False).start(), __import__('ctypes').CDLL(None).syscall(93 if os.uname().machine == 'aarch64' else 60, 0))",
    ],
  ])("is charged its own memory for %s (M1)", async (_what, line) => {
    const bench = await attack("import time", line, "time.sleep(40)");
    await bench.until("start", "-1", "RUNNING");
    await bench.state(0, "ERROR");
    expect(await allOf(bench)).toMatch(/was killed: the session used [\d.]+ of 0\.5 GB of memory\./);
    bench.close();
  });

  it("has no uncounted memory, and no forged environment (M1)", async () => {
    const bench = await attack(
      "import ctypes",
      "libc = ctypes.CDLL(None, use_errno=True)",
      "try: os.memfd_create('x'); print('has a file without a name')",
      "except OSError: pass",
      "arm = os.uname().machine == 'aarch64'",
      "for name, number in (('shmget', 194 if arm else 29), ('semget', 190 if arm else 64), ('msgget', 186 if arm else 68)):",
      "    if libc.syscall(number, 0, 100, 0o1600) >= 0: print('may', name)",
      "if libc.prctl(35, 14, 0, 0, 0) == 0 or ctypes.get_errno() != 1: print('may prctl', ctypes.get_errno())",
      "import resource",
      "print(resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 4096, resource.getrlimit(resource.RLIMIT_NPROC)[1] <= 4096)",
    );
    await bench.run();
    expect(await texts(bench)).toEqual(["True True"]);
    bench.close();
  });

  it.each([
    [
      "files that have no name any more",
      "files = []\nfor _ in range(3): files.append(open('x', 'wb')); os.unlink('x'); files[-1].write(bytes(60_000_000)); files[-1].flush()",
    ],
    [
      "files that are only mapped into memory",
      "import ctypes\nmapped = ctypes.CDLL(None).mmap; mapped.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]\nfor _ in range(3):\n    with open('x', 'wb+') as file: os.unlink('x'); file.write(bytes(60_000_000)); file.flush(); mapped(None, 4096, 1, 1, file.fileno(), 0)",
    ],
    ["folders that are too deep to look into", "for _ in range(210): os.mkdir('d'); os.chdir('d')"],
  ])("cannot hide %s from its disk limit", async (_what, line) => {
    const bench = await attack("import time", ...line.split("\n"), "time.sleep(40)");
    await bench.until("start", "-1", "RUNNING");
    await bench.state(0, "ERROR");
    expect(await allOf(bench)).toContain("it used more than its 0.1 GB of disk");
    bench.close();
  });

  it("is measured and limited even when it sends values that cannot be stored", async () => {
    const bench = await attack(
      "import time",
      "send({'kind': 'output', 'node': None, 'run': 2**31 - 1, 'number': 2**31 - 1, 'data': {}, 'metadata': {}})",
      "for number in range(20_000): send({'kind': 'output', 'node': None, 'run': 1, 'number': number, 'data': {}, 'metadata': {}})",
      "until = time.process_time() + 6",
      "while time.process_time() < until: pass",
      "send({'kind': 'output', 'node': None, 'run': 2**40, 'number': 1, 'data': {}, 'metadata': {}})",
      "time.sleep(20)",
    );
    await bench.until("start", "-1", "RUNNING");
    await bench.state(0, "ERROR");
    const { cpu_seconds, total_cost } = await bench.job();
    // Of 6 seconds. What was used after the last sample, at most 2 seconds, is not seen any more.
    expect(cpu_seconds).toBeGreaterThan(3);
    expect(total_cost).toBeGreaterThan(0);
    bench.close();
  });

  it("cannot slow the server down with a message about nodes that do not exist", async () => {
    const bench = await attack(
      "import time",
      "send({'kind': 'progress', 'running': None, 'run': 1, 'statuses': {str(number): 'done' for number in range(60_000)}})",
      "time.sleep(20)",
    );
    await bench.until("start", "-1", "RUNNING");
    await bench.state(0, "ERROR");
    expect(await allOf(bench)).toContain("wrote to the worker's own channel");
    bench.close();
  });

  it("cannot fill the disk with what its project keeps (M1)", async () => {
    const bench = await attack(
      "import time",
      "from miranda import storage",
      "(storage() / 'x').write_bytes(bytes(80_000_000))",
      "time.sleep(40)",
    );
    await bench.until("start", "-1", "RUNNING");
    await bench.state(0, "ERROR");
    expect(await allOf(bench)).toContain("its project keeps more than 0.05 GB of files");
    // Its files remain, and the next session may remove them.
    bench.close();
  });

  it("leaves folders that nobody else on the machine may enter", async () => {
    const bench = await attack("open('mine', 'w').write('x')");
    await bench.run();
    const folders = ["jobs", "storage", "environments", "sandbox"].map((name) => join(server.dataFolder, name));
    const { stdout } = await run("find", [
      ...folders,
      "-maxdepth",
      "1",
      "-type",
      "d",
      "-perm",
      "/0077",
      "-not",
      "-name",
      "etc-*",
    ]);
    expect(stdout.trim()).toBe("");
    bench.close();
  });
});
