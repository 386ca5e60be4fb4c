import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type Docker from "dockerode";
import { z } from "zod";
import { systemCodeOf } from "../platform/errors/error-details.ts";

/** The credentials for an image's registry. */
export interface Credentials {
  /** For the Docker Engine only: it must never reach a log, an answer or the database. */
  auth: Docker.AuthConfigObject;
  /** The explanation when the registry refuses, without any credentials. */
  whenRefused: string;
}

const Entry = z
  .object({
    auth: z.string(),
    username: z.string(),
    password: z.string(),
    identitytoken: z.string(),
    registrytoken: z.string(),
  })
  .partial();
type Entry = z.infer<typeof Entry>;

const ClientConfig = z
  .object({ auths: z.record(z.string(), Entry), credsStore: z.string(), credHelpers: z.record(z.string(), z.string()) })
  .partial();
type ClientConfig = z.infer<typeof ClientConfig>;

const hub = "docker.io";
const place = "the server's Docker configuration (DOCKER_CONFIG)";
const refusal = /no basic auth credentials|unauthorized|authentication required|denied|forbidden/i;

/** Reads what `docker login` wrote, for every image: no restart is needed after a login. */
export async function readCredentials(folder: string | undefined, image: string): Promise<Credentials> {
  const registry = registryOf(image);
  const nobody = (whenRefused: string): Credentials => ({ auth: {}, whenRefused });
  let config: ClientConfig;
  try {
    config = ClientConfig.parse(JSON.parse(await readFile(join(folder ?? usualFolder(), "config.json"), "utf8")));
  } catch (error) {
    const code = systemCodeOf(error);
    // A parser's message would quote the file.
    if (code !== "ENOENT") return nobody(`${capital(place)} cannot be read${code ? ` (${code})` : ""}.`);
    config = {};
  }
  const [, entry] = Object.entries(config.auths ?? {}).find(([address]) => hostOf(address) === registry) ?? [];
  const auth = entry && toAuth(entry);
  if (auth)
    return {
      auth: { ...auth, serveraddress: registry === hub ? "https://index.docker.io/v1/" : registry },
      whenRefused: `The registry ${registry} does not take the password that ${place} has for it.`,
    };
  const helper = config.credHelpers?.[registry] ?? config.credsStore;
  return nobody(
    helper === undefined
      ? `${capital(place)} has no password for the registry ${registry}.`
      : `${capital(place)} leaves the password for the registry ${registry} to the credential helper "${helper}", which ` +
          "the server does not ask: it has to be in config.json itself.",
  );
}

/** Explains a failed pull: Docker's message, and the reason when it is about credentials. */
export function explainPull(image: string, words: string, { whenRefused }: Credentials): string {
  const why = refusal.test(words) ? ` ${whenRefused}` : "";
  return `The image ${image} could not be pulled: ${words}${why && !/[.!]$/.test(words) ? "." : ""}${why}`;
}

/**
 * The part before the first slash is a registry when it looks like an address. Otherwise the image is on Docker Hub.
 */
function registryOf(image: string): string {
  const [first = "", rest] = image.split("/", 2);
  return rest !== undefined && (/[.:]/.test(first) || first === "localhost") ? hostOf(first) : hub;
}

/** Clients have written these addresses with and without protocol and path. */
function hostOf(address: string): string {
  const host = address.replace(/^https?:\/\//, "").split("/")[0] ?? "";
  return host === "index.docker.io" || host === "registry-1.docker.io" ? hub : host;
}

function toAuth({
  auth,
  username,
  password,
  identitytoken,
  registrytoken,
}: Entry): Docker.AuthConfigObject | undefined {
  const decoded = Buffer.from(auth ?? "", "base64")
    .toString()
    .replaceAll("\0", "");
  const colon = decoded.indexOf(":");
  const given =
    colon > 0
      ? { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
      : { ...(username && { username }), ...(password && { password }) };
  const all = { ...given, ...(identitytoken && { identitytoken }), ...(registrytoken && { registrytoken }) };
  return all.password || identitytoken || registrytoken ? all : undefined;
}

function usualFolder(): string {
  return join(homedir(), ".docker");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
