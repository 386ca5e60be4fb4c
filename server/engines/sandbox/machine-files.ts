import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";

const devices = /^(nvidia.*|dri|kfd)$/;
const user = "miranda";
/** Variables that name files which pip, uv, git and TLS need. */
const naming = /^(SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|(PIP|UV)_(CERT|FIND_LINKS|CONFIG_FILE))$/;

/** Files of the machine that are not secret. */
export const machineFiles = {
  programs: ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/sys/devices/system", "/sys/fs/cgroup"],

  /** The few files of /etc that programs look for. */
  settings: [
    ...["alternatives", "ca-certificates", "ca-certificates.conf", "debian_version", "default/locale", "fonts"],
    ...["gai.conf", "host.conf", "hosts", "inputrc", "java-17-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"],
    ...["locale.alias", "locale.conf", "localtime", "magic", "magic.mime", "mime.types", "networks", "nsswitch.conf"],
    ...["OpenCL", "os-release", "pip.conf", "pki/ca-trust/extracted", "pki/tls/certs", "protocols", "python3"],
    ...["rpc", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "timezone", "uv", "vulkan"],
  ].map((name) => join("/etc", name)),

  /** Files that the operator's settings name. */
  named: (environment: NodeJS.ProcessEnv = process.env): string[] =>
    Object.entries(environment)
      .filter(([name]) => naming.test(name))
      .flatMap(([, value = ""]) => value.split(/[\s,]+/))
      .filter((path) => isAbsolute(path) && path !== "/" && existsSync(path)),

  devices: (): string[] =>
    readdirSync("/dev")
      .filter((name) => devices.test(name))
      .map((name) => join("/dev", name)),

  /** The groups that may use the GPUs. */
  deviceGroups(): number[] {
    const paths = machineFiles.devices().flatMap((path) => [path, ...filesIn(path)]);
    return [...new Set(paths.map((path) => statSync(path).gid))].filter((gid) => gid > 0);
  },
};

function filesIn(path: string): string[] {
  return statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [];
}

/**
 * A folder that replaces the machine's /etc, with copies of those few files: mounting one folder takes a tenth of the
 * time. It is named after its content, so running sessions keep theirs.
 */
export async function copySettings(folder: string): Promise<string> {
  const found = machineFiles.settings.filter((path) => existsSync(path));
  const stamps = found.map((path) => `${path} ${statSync(path).mtimeMs} ${statSync(path).size}`);
  const name = createHash("sha256").update(stamps.join("\n")).digest("hex").slice(0, 16);
  const whole = join(folder, `etc-${name}`);
  if (existsSync(whole)) return whole;
  const draft = await mkdtemp(join(folder, "draft-"));
  await chmod(draft, 0o755);
  for (const path of found) {
    const copy = join(draft, relative("/etc", path));
    await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
    await cp(path, copy, { recursive: true, verbatimSymlinks: true });
  }
  // These differ between sessions.
  for (const one of ["passwd", "group", "resolv.conf"]) await writeFile(join(draft, one), "", { mode: 0o644 });
  await rename(draft, whole).catch(() => rm(draft, { recursive: true, force: true }));
  return whole;
}

/** Writes the files that replace the machine's own: accounts, and name servers. */
export async function writeOwnFiles(
  folder: string,
  uid: number | undefined,
  nameservers: string[],
): Promise<Record<string, string>> {
  const [id, group] = uid === undefined ? [process.getuid?.() ?? 0, process.getgid?.() ?? 0] : [uid, uid];
  const nobody = 65_534;
  const files: Record<string, string> = {
    passwd: [
      `root:x:0:0::/:/bin/sh`,
      `${user}:x:${id}:${group}::/tmp:/bin/sh`,
      `nobody:x:${nobody}:${nobody}::/:/bin/sh`,
    ]
      .map((line) => `${line}\n`)
      .join(""),
    group: `root:x:0:\n${user}:x:${group}:\nnogroup:x:${nobody}:\n`,
    ...(nameservers.length > 0 && {
      "resolv.conf": nameservers.map((server) => `nameserver ${server}\n`).join(""),
    }),
  };
  const shown: Record<string, string> = {};
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    // Readable for the session's account. The folder itself is closed.
    await writeFile(path, text, { mode: 0o644 });
    shown[join("/etc", name)] = path;
  }
  const names = "/etc/resolv.conf";
  if (!(names in shown) && existsSync(names)) shown[names] = realpathSync(names);
  return shown;
}
