import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { dockerProblem, processorImage } from "../testing/services/docker.ts";
import { type EngineWithServer, openEngineWithServer } from "../testing/engine-under-test.ts";
import { TestRegistry } from "../testing/services/registry.ts";
import { script, type Workbench } from "../testing/workbench.ts";

// Images of a registry with a password: one Docker Engine that is also a Swarm of one machine, tested as both.

const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);

describe.skipIf(dockerProblem() !== undefined)("a registry with a password", { timeout: 60_000 }, () => {
  let registry: TestRegistry;
  let underTest: EngineWithServer;
  let folder: string;
  let address: string;
  let image: string;
  beforeAll(async () => {
    registry = await TestRegistry.start();
    folder = await mkdtemp(join(tmpdir(), "miranda-docker-config-"));
    underTest = await openEngineWithServer("swarm", (docker) => {
      address = `${docker?.lan.hostAddress}:${registry.port}`;
      image = `${address}/tools/python:3`;
      return { DOCKER_CONFIG: folder, LOG_LEVEL: "trace", MIRANDA_IMAGES: `${address}/*` };
    });
    if (!underTest.docker) throw new Error("no Docker");
    await registry.push(underTest.docker, processorImage, `${address}/tools/python`, "3");
  }, 120_000);
  afterAll(async () => {
    await underTest.close();
    await registry.close();
    await rm(folder, { recursive: true });
  });

  const configure = (config: object | string) =>
    writeFile(join(folder, "config.json"), typeof config === "string" ? config : JSON.stringify(config));

  async function bench(): Promise<Workbench> {
    const made = await underTest.fault.workbench();
    await made.policy("compute", await made.node(script("print('pulled')")), { image });
    return made;
  }

  async function nothingLeft(): Promise<void> {
    const client = underTest.docker?.client;
    const count = async () =>
      [await client?.listContainers({ all: true }), await client?.listServices(), await client?.listSecrets()].flat();
    await expect.poll(count, { timeout: 20_000 }).toEqual([]);
  }

  describe.each(["swarm", "docker"])("on %s", (engine) => {
    beforeAll(async () => {
      const { environment, server } = underTest.fault;
      if (environment["MIRANDA_ENGINE"] === engine) return;
      Object.assign(environment, { MIRANDA_ENGINE: engine, MIRANDA_RUNNER_URL: "" });
      await server.kill("SIGTERM");
      await underTest.fault.restart();
    });

    it("pulls the image with the password, and shows the password nowhere", async () => {
      await configure(registry.login(`http://${address}/v1/`));
      const one = await bench();
      await one.start();
      await one.run();
      const printed = await texts(one);
      expect(printed.at(-1)).toBe("pulled");
      if (engine === "docker")
        expect(printed.slice(0, -1)).toEqual([`Pulling the image ${image}`, `The image ${image} is here`]);
      await keepsThePassword(engine, one);
      await one.until("stop", "", "EXITED");
      await nothingLeft();
      await underTest.docker?.client.getImage(image).remove({ force: true });
      one.close();
    });

    const lost = "what was right before";
    it.each([
      ["has none", {}, /has no password for the registry \S+\.$/],
      [
        "has another",
        () => registry.login(address, lost),
        /does not take the password that the server's Docker configuration \(DOCKER_CONFIG\) has for it\.$/,
      ],
      [
        "leaves it to a helper",
        { credsStore: "pass", auths: {} },
        /to the credential helper "pass", which the server does not ask: it has to be in config\.json itself\.$/,
      ],
      ["has it in no JSON", `{"auths":{"${lost}`, /cannot be read\.$/],
    ])("refuses a server that %s: ERROR, a line that says why, and nothing left behind", async (_, config, words) => {
      await configure(typeof config === "function" ? config() : config);
      const one = await bench();
      await expect(one.start()).rejects.toThrow("became ERROR");
      const reason = (await texts(one)).at(-1);
      expect(reason).toContain(`The image ${image} could not be pulled: `);
      expect(reason).toMatch(words);
      expect(reason).not.toContain(lost);
      await nothingLeft();
      one.close();
    });
  });

  async function keepsThePassword(engine: string, one: Workbench): Promise<void> {
    const { password } = registry;
    const { jobId } = one;
    const { database, server } = underTest.fault;
    const client = underTest.docker?.client;
    const rows = await database.db.selectFrom("jobs").selectAll().where("id", "=", jobId).execute();
    const inspected =
      engine === "docker"
        ? await client?.getContainer(`miranda-${jobId}`).inspect()
        : await client?.getService(`miranda-${jobId}`).inspect();
    const everything = JSON.stringify([rows, inspected, await one.logs(), await one.job(), server.output()]);
    expect(everything).toContain(jobId);
    for (const secret of [password, Buffer.from(`puller:${password}`).toString("base64")])
      expect(everything).not.toContain(secret);
  }
});
