import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "@miranda/contract/json.ts";
import type Docker from "dockerode";

import { messageOf } from "../platform/errors/error-details.ts";
import { EngineAway } from "./engine.ts";

const usualSocket = "/var/run/docker.sock";
const answerWithin = 5_000;

/** The address of the Docker Engine, whether or not it answers. */
export function dockerAddress(host: string | undefined): string {
  return host ?? `unix://${usualSocket}`;
}

/** A Docker Engine whose containers see the files of this machine under the same names. */
export function sharesFiles(host: string | undefined): boolean {
  return dockerAddress(host).startsWith("unix://");
}

export function mayBeThere(host: string | undefined): boolean {
  const address = dockerAddress(host);
  return !address.startsWith("unix://") || existsSync(address.slice("unix://".length));
}

/** Connects with a timeout: a call without an answer for `silence` milliseconds fails. */
export async function connectDocker(host: string | undefined, silence: number): Promise<Docker> {
  // Imported late: it is larger than the rest of the server, and only installations with Docker need it.
  const { default: Docker } = await import("dockerode");
  const address = dockerAddress(host);
  // Dockerode reads other addresses, and their certificates, from the environment.
  const socketPath = address.startsWith("unix://") ? address.slice("unix://".length) : undefined;
  return new Docker({ timeout: silence, ...(socketPath && { socketPath }) });
}

/** Whether it answers at all. */
export async function answers(docker: Docker): Promise<boolean> {
  const answered = docker.ping().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, sleep(answerWithin, false, { ref: false })]);
}

export function statusOf(error: unknown): number | undefined {
  return isRecord(error) && typeof error["statusCode"] === "number" ? error["statusCode"] : undefined;
}

const noAnswer = new Set([
  ...["ECONNREFUSED", "ENOENT", "ECONNRESET", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);

function isUnanswered(error: unknown): boolean {
  if (!isRecord(error)) return false;
  const { code, cause } = error;
  return (typeof code === "string" && noAnswer.has(code)) || isUnanswered(cause);
}

/** Docker's own message, without the wrapping. */
export function wordsOf(error: unknown): string {
  if (isUnanswered(error)) return "the Docker Engine does not answer.";
  if (isRecord(error) && isRecord(error["json"]) && typeof error["json"]["message"] === "string")
    return error["json"]["message"];
  return messageOf(error);
}

/** Why a launch failed. 503: the managers of a Swarm are electing a leader. */
export function launchError(error: unknown, words = wordsOf(error)): Error {
  const Kind = isUnanswered(error) || statusOf(error) === 503 ? EngineAway : Error;
  return new Kind(words, { cause: error });
}

/** Undefined when the object does not exist. Any other failure is thrown. */
export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
