import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

import type { InputField } from "../call-inputs/field-types.ts";
import { checkInputs } from "../call-inputs/check-inputs.ts";
import { exampleInputs } from "./examples.ts";
import { inputsSchema } from "./field-schema.ts";
import { snippetLanguages, snippetOf } from "./snippets.ts";

function field(given: Partial<InputField> & { name: string }): InputField {
  const { name } = given;
  return {
    ...{ label: name, help: "", kind: "any", control: null, required: false, default: null, min: null, max: null },
    ...given,
  };
}

const plain = [
  field({ name: "city", kind: "str", required: true }),
  field({ name: "days", kind: "int", min: 2, max: 9 }),
  field({ name: "sure", control: { type: "toggle" }, default: false }),
];
const withFile = [...plain, field({ name: "photo", control: { type: "file", accept: "image/*,.png" } })];
const call = { origin: "http://127.0.0.1:4600", name: "tides", wait: 60 };

test("a call with JSON in three languages", () => {
  const values = { city: "it's", days: 3, sure: false };
  const made = snippetLanguages.map((language) => snippetOf(language, { ...call, fields: plain, values }));
  expect(made).toMatchInlineSnapshot(`
    [
      "curl 'http://127.0.0.1:4600/api/v3/deployments/tides/runs?wait=60' \\
      -H "Authorization: Bearer $MIRANDA_TOKEN" \\
      -H 'Content-Type: application/json' \\
      -d '{"city":"it'\\''s","days":3,"sure":false}'",
      "import os
    import requests

    answer = requests.post(
        "http://127.0.0.1:4600/api/v3/deployments/tides/runs?wait=60",
        headers={"Authorization": f"Bearer {os.environ['MIRANDA_TOKEN']}"},
        json={"city": "it's", "days": 3, "sure": False},
    )
    if not answer.ok:
        raise SystemExit(answer.text)
    call = answer.json()
    print(call["state"], call["result"])",
      "const answer = await fetch("http://127.0.0.1:4600/api/v3/deployments/tides/runs?wait=60", {
      method: "POST",
      headers: { Authorization: \`Bearer \${process.env.MIRANDA_TOKEN}\`, "Content-Type": "application/json" },
      body: JSON.stringify({"city":"it's","days":3,"sure":false}),
    });
    if (!answer.ok) throw new Error(await answer.text());
    const call = await answer.json();
    console.log(call.state, call.result);",
    ]
  `);
});

test("a call with a file in three languages", () => {
  const values = { city: "@home", photo: 'my "photo".png' };
  const made = snippetLanguages.map((language) => snippetOf(language, { ...call, fields: withFile, values }));
  expect(made).toMatchInlineSnapshot(`
    [
      "curl 'http://127.0.0.1:4600/api/v3/deployments/tides/runs?wait=60' \\
      -H "Authorization: Bearer $MIRANDA_TOKEN" \\
      --form-string 'city=@home' \\
      -F 'photo=@"my \\"photo\\".png"'",
      "import os
    import requests

    answer = requests.post(
        "http://127.0.0.1:4600/api/v3/deployments/tides/runs?wait=60",
        headers={"Authorization": f"Bearer {os.environ['MIRANDA_TOKEN']}"},
        data={"city": "@home"},
        files={"photo": open("my \\"photo\\".png", "rb")},
    )
    if not answer.ok:
        raise SystemExit(answer.text)
    call = answer.json()
    print(call["state"], call["result"])",
      "import { openAsBlob } from "node:fs";

    const form = new FormData();
    form.append("city", "@home");
    form.append("photo", await openAsBlob("my \\"photo\\".png"), "my \\"photo\\".png");
    const answer = await fetch("http://127.0.0.1:4600/api/v3/deployments/tides/runs?wait=60", {
      method: "POST",
      headers: { Authorization: \`Bearer \${process.env.MIRANDA_TOKEN}\` },
      body: form,
    });
    if (!answer.ok) throw new Error(await answer.text());
    const call = await answer.json();
    console.log(call.state, call.result);",
    ]
  `);
});

test("curl gets the values as they are, whatever the shell would make of them", () => {
  const values = { city: 'a\'b $HOME `id` \\ \n"c"', days: 3, sure: false };
  const line = snippetOf("curl", { ...call, fields: plain, values }).replace(/^curl/, "printf '%s\\0'");
  const words = execFileSync("sh", ["-c", line], { env: { MIRANDA_TOKEN: "t" } })
    .toString()
    .split("\0");
  expect(JSON.parse(words.at(-2) ?? "")).toEqual(values);
});

test("examples fit their fields", () => {
  expect(checkInputs(plain, exampleInputs(plain), "json")).toEqual({ inputs: { city: "text", days: 2, sure: false } });
  expect(exampleInputs(withFile)).toMatchObject({ photo: "photo.png" });
});

test("the schema of the fields names what is required and its limits", () => {
  expect(inputsSchema(withFile, "text")).toMatchObject({
    required: ["city"],
    additionalProperties: false,
    properties: {
      days: { type: "integer", minimum: 2, maximum: 9 },
      sure: { type: "boolean", default: false },
      photo: { type: "object", required: ["name", "content"] },
    },
  });
});
