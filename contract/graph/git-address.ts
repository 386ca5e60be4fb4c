/** A node's repository: what git is given, and which file in it belongs to the node. */
export interface GitAddress {
  scheme: "https" | "ssh";
  url: string;
  host: string;
  /** For people: without scheme and user name. */
  shown: string;
  /** Undefined: derived from the node's name. */
  path: string | undefined;
}

const host = String.raw`(?<host>[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])`;
const user = String.raw`[A-Za-z0-9_][\w.-]*`;
const place = String.raw`(?<place>[^\s\\-][^\s\\]*)`;
const forms = [
  { scheme: "https", form: new RegExp(`^https://(?:[^/@]*@)?${host}(?::\\d{1,5})?/${place}$`) },
  { scheme: "ssh", form: new RegExp(`^ssh://(?:${user}(?::[^/@]*)?@)?${host}(?::\\d{1,5})?/${place}$`) },
  { scheme: "ssh", form: new RegExp(`^${user}@${host}:(?!//)${place}$`) },
] as const;

export type GitRefusal = "git_scheme" | "git_path";

/** Accepts https and ssh only. Any other address could name a file or a program of the processor. */
export function parseGitAddress(text: string): GitAddress | { refusal: GitRefusal } {
  const [address = "", ...rest] = text.split("#");
  const path = rest.join("#");
  for (const { scheme, form } of forms) {
    const match = form.exec(address)?.groups;
    if (!match) continue;
    if (text.includes("#") && !isGitPath(path)) return { refusal: "git_path" };
    const name = match["host"] ?? "";
    const shown = `${name}/${(match["place"] ?? "").replace(/\/+$/, "").replace(/\.git$/, "")}`;
    const url = withoutCredentials(address);
    return { scheme, url, host: name.toLowerCase(), shown, path: path === "" ? undefined : path };
  }
  return { refusal: "git_scheme" };
}

/** A file below the repository's own folder. */
function isGitPath(path: string): boolean {
  const parts = path.split("/");
  return (
    path.length <= 1_000 &&
    !/[\p{Cc}\\]/u.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git")
  );
}

/** Whether git accepts this name for a branch. */
export function isGitBranch(name: string): boolean {
  if (/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$|^[-/]/u.test(name) || name === "@" || name === "") return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

/** The file of a node whose repository names none: the node's name in snake case. */
export function gitFileName(nodeName: string): string {
  const words = nodeName
    .normalize("NFC")
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1_$2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1_$2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return `${words.join("_").toLowerCase() || "node"}.py`;
}

/** Removes a password or token before the host. Over ssh the user name stays, because it is part of the address. */
export function withoutCredentials(address: string): string {
  return address.replace(/^ssh:\/\/([^/@:]*)(?::[^/@]*)?@/, "ssh://$1@").replace(/^(?!ssh:)(\w+:\/\/)[^/@]*@/, "$1");
}

/** A repository from a file or the clipboard, kept only if git could use it. */
export function usableRepository(git: string | null | undefined): string | null {
  return git && !("refusal" in parseGitAddress(git)) ? withoutCredentials(git) : null;
}

export function usableBranch(branch: string | null | undefined): string | null {
  return branch && isGitBranch(branch) ? branch : null;
}
