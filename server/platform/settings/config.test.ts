import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

import { readConfig, settingNames } from "./config.ts";

it("documents every setting in docs/operations.md", async () => {
  const text = await readFile(resolve(import.meta.dirname, "../../../docs/operations.md"), "utf8");
  const tables = text.split("\n").filter((line) => line.startsWith("| `"));
  const missing = settingNames.filter((name) => !tables.some((line) => line.split(" | ")[0]?.includes(`\`${name}\``)));
  // MIRANDA_DEV is for developers, not a setting of an installation.
  expect(missing).toEqual(["MIRANDA_DEV"]);
  expect(text).not.toMatch(/^[<=>]{7}/m);
});

describe("a wrong setting", () => {
  const refusal = (environment: Record<string, string>): string => {
    try {
      readConfig(environment);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return "was accepted";
  };

  it.each([
    [{ PORT: "eighty" }, 'it is "eighty", and it must be a whole number from 0 to 65535, for example 4600.'],
    [{ PORT: "99999" }, 'it is "99999", and it must be a whole number from 0 to 65535, for example 4600.'],
    [{ MIRANDA_ENGINE: "podman" }, "it must be auto, local, docker or swarm, for example auto."],
    [{ MIRANDA_TRUST_PROXY: "yes" }, 'it is "yes", and it must be true or false, for example true.'],
    [{ PUBLIC_URL: "here" }, 'it is "here", and it must be a whole address, for example https://miranda.example.org.'],
    [
      { MIRANDA_BACKUP_EVERY: "daily" },
      "it must be a number of minutes, hours or days, such as 30m or 12h, for example",
    ],
    [
      { MIRANDA_HOSTS: "http://a/b" },
      "it must be host names without http:// and without paths, for example miranda.lan",
    ],
  ])("is refused by its name, its value and an example: %j", (environment, words) => {
    expect(refusal(environment)).toContain(`The setting ${Object.keys(environment)[0]} is wrong`);
    expect(refusal(environment)).toContain(words);
  });

  it.each([
    { DATABASE_URL: "mysql://miranda:hush-hush@127.0.0.1/miranda" },
    { REDIS_URL: "http://:hush-hush@127.0.0.1" },
    { MIRANDA_SMTP_URL: "http://user:hush-hush@127.0.0.1" },
    { MIRANDA_SECRET_KEY: "hush-hush" },
    { MIRANDA_METRICS_TOKEN: "hush-hush" },
    { MIRANDA_BACKUP_PASSPHRASE: "hush-hush" },
  ])("that may hold a password is not shown: %j", (environment) => {
    expect(refusal(environment)).toMatch(/is wrong \(its value is not shown\): it must be .*, for example /);
    expect(refusal(environment)).not.toContain("hush");
  });

  it("never has the words of a validator, whatever the setting", () => {
    for (const name of settingNames)
      for (const value of [
        "\u0000",
        "-1",
        "x",
        "1e999",
        "[]",
        '[{"id":1}]',
        '[{"id":"x","issuer":"here"}]',
        "9".repeat(400),
      ]) {
        const words = refusal({ PUBLIC_URL: "https://miranda.example.org", [name]: value });
        expect([name, value, words]).not.toEqual([name, value, expect.stringMatching(/Invalid|expected|received|NaN/)]);
      }
  });

  it.each([
    ["MIRANDA_PROCESOR", " Did you mean MIRANDA_PROCESSORS?"],
    ["MIRANDA_TRUSTPROXY", " Did you mean MIRANDA_TRUST_PROXY?"],
    ["MIRANDA_NODES_PER_WORKFLOWS", " Did you mean MIRANDA_NODES_PER_WORKFLOW?"],
    ["MIRANDA_QQQQQQQQQQ", ""],
  ])("that does not exist is refused: %s", (name, nearest) => {
    expect(refusal({ [name]: "1" })).toBe(`There is no setting ${name}.${nearest} See docs/operations.md.`);
  });

  it("is not one of another program", () => {
    expect(refusal({ MIRANDA_PYTHON: "/usr/bin/python3", MIRANDER: "1", PATH: "/bin" })).toBe("was accepted");
  });
});
