import { type ChildProcess, spawn } from "node:child_process";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

import { swiftPython } from "../../../scripts/swift.ts";

const hash = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const mac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

interface Answer {
  status: number;
  text: string;
}

/** A real S3 server of the test's own, and a client for it that shares nothing with the one under test. */
export class TestSwift {
  readonly accessKey = "tides:reader";
  readonly secretKey = randomBytes(15).toString("hex");
  readonly region = "eu-test-1";
  url = "";
  #process: ChildProcess | undefined;
  #folder = "";

  static async open(address = "127.0.0.1"): Promise<TestSwift> {
    const swift = new TestSwift();
    const { accessKey, secretKey, region } = swift;
    swift.#folder = await mkdtemp(join(tmpdir(), "miranda-swift-"));
    const program = join(import.meta.dirname, "swift.py");
    const args = ["-I", "-W", "ignore", program, swift.#folder, address, accessKey, secretKey, region];
    const started = spawn(swiftPython, args, { stdio: ["pipe", "pipe", "inherit"] });
    swift.#process = started;
    for await (const port of createInterface({ input: started.stdout })) {
      swift.url = `http://${address}:${port}`;
      break;
    }
    if (!swift.url) throw new Error("Swift did not start.");
    return swift;
  }

  async request(method: string, path: string, query: Record<string, string> = {}, body = ""): Promise<Answer> {
    const target = `/${path.split("/").map(encode).join("/")}`;
    const search = Object.entries(query)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .join("&");
    const { hostname, port, host } = new URL(this.url);
    const date = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    const headers = { host, "x-amz-content-sha256": hash(body), "x-amz-date": date };
    const names = Object.keys(headers).join(";");
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    const asked = [method, target, search, lines.join(""), names, hash(body)].join("\n");
    const scope = [date.slice(0, 8), this.region, "s3", "aws4_request"];
    const key = scope.reduce<string | Buffer>(mac, `AWS4${this.secretKey}`);
    const signature = mac(key, ["AWS4-HMAC-SHA256", date, scope.join("/"), hash(asked)].join("\n")).toString("hex");
    const credential = `${this.accessKey}/${scope.join("/")}`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
    // Not fetch, which would normalise the path.
    const sent = request({
      hostname,
      port,
      method,
      path: `${target}?${search}`,
      headers: { ...headers, authorization },
    });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, text: await text(answer) };
  }

  async makeBucket(): Promise<string> {
    const bucket = `tides-${randomBytes(4).toString("hex")}`;
    const { status } = await this.request("PUT", bucket);
    if (status !== 200) throw new Error(`The bucket was not made: ${status}`);
    return bucket;
  }

  async put(bucket: string, key: string, text: string): Promise<void> {
    const { status } = await this.request("PUT", `${bucket}/${key}`, {}, text);
    if (status !== 200) throw new Error(`${key} was not stored: ${status}`);
  }

  async get(bucket: string, key: string): Promise<string | undefined> {
    const { status, text: content } = await this.request("GET", `${bucket}/${key}`);
    return status === 200 ? content : undefined;
  }

  async keys(bucket: string): Promise<string[]> {
    const { text: list } = await this.request("GET", bucket, { "list-type": "2", "encoding-type": "url" });
    return [...list.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) =>
      decodeURIComponent(key.replaceAll("+", "%20")),
    );
  }

  /** Unfinished multipart uploads. */
  async uploads(bucket: string): Promise<number> {
    return (await this.request("GET", bucket, { uploads: "" })).text.split("<Upload>").length - 1;
  }

  async close(): Promise<void> {
    if (this.#process && this.#process.exitCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
