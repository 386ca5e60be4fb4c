import { describe, expect, test } from "vitest";
import { z } from "zod";

import { compileArgs } from "../command-args.ts";
import { node as sampleNode } from "../graph/graph-samples.ts";
import { PatchAttributeBody } from "./attributes.ts";
import { CreateGraphBody, PatchGraphBody } from "./graphs.ts";
import { AddMemberBody, Member, ProjectMember } from "./members.ts";
import { ModelsResponse } from "./models/models.ts";
import {
  CloneBlueprintBody,
  CreateNodeBody,
  CreateNodeQuery,
  Edge,
  EdgeBody,
  GraphResponse,
  Node,
  PatchComputePolicyBody,
  PatchNodeApiBody,
  PatchNodeBody,
  PutNodeApiBody,
  PutPositionBody,
  TagQuery,
  WobTypeQuery,
} from "./nodes.ts";
import { StoragePolicy } from "./policies.ts";
import { CommandBody, CreateProcessorBody, Job, JobsQuery } from "./processors.ts";
import { BrowseProjectsQuery, CreateProjectBody, DeleteQuery, PatchProjectBody, Project } from "./projects.ts";
import { CreateSecretBody } from "./secrets.ts";

const id = "0198c0de-0000-7000-8000-000000000001";

/** The words of a refusal, as the person would read them. */
function refusal(schema: z.ZodType, value: unknown): string {
  const result = schema.safeParse(value);
  return result.success ? "accepted" : z.prettifyError(result.error).replaceAll(/✖ |\n.*/g, "");
}

describe("projects and workflows", () => {
  test.each([
    [CreateProjectBody, {}, "Name is required."],
    [CreateProjectBody, { name: "  " }, "Name is required."],
    [CreateProjectBody, { name: "x".repeat(201) }, "Name can have at most 200 characters."],
    [
      CreateProjectBody,
      { name: "x", description: "x".repeat(100_001) },
      "Description can have at most 100000 characters.",
    ],
    [CreateProjectBody, { name: "a\u0000b" }, "Name contains a character that cannot be stored."],
    [PatchProjectBody, { name: "" }, "Name is required."],
    [PatchProjectBody, { visibility: "hidden" }, "Visibility must be public or private."],
    [DeleteQuery, { preview: "perhaps" }, "preview must be true or false."],
    [CreateGraphBody, { name: "x", project_id: "1" }, "That is not a valid id."],
    [PatchGraphBody, { dest_parent_id: "x" }, "That is not a valid id."],
    [AddMemberBody, { user: "ada", role: "owner" }, "Role must be viewer or editor."],
    [AddMemberBody, { role: "editor" }, "Username or e-mail is required."],
  ])("refuses bad input with clear words: %#", (schema, value, words) => {
    expect(refusal(schema, value)).toBe(words);
  });

  test("S7-002 accepts what forms send", () => {
    expect(CreateProjectBody.parse({ name: " Water " })).toEqual({ name: "Water", description: "" });
    expect(BrowseProjectsQuery.parse({ include_own: "true" })).toMatchObject({ include_own: true });
    expect(BrowseProjectsQuery.parse({})).toMatchObject({ include_own: false });
    expect(DeleteQuery.parse({ preview: "false" })).toEqual({ preview: false });
    expect(PatchGraphBody.parse({ name: "x", dest_parent_id: "" }).dest_parent_id).toBeUndefined();
    expect(AddMemberBody.parse({ user: "ada" })).toEqual({ user: "ada", role: "viewer" });
  });
});

describe("nodes", () => {
  const position = "Position must be two numbers, x and y, from -10000000 to 10000000.";
  const s3 = { type: "s3", bucket: "tides" };
  test.each([
    [PutPositionBody, {}, position],
    [PutPositionBody, { position: "NaN" }, position],
    [PutPositionBody, { position: '{"x":1}' }, position],
    [PutPositionBody, { position: '{"x":1e300,"y":0}' }, position],
    [PutPositionBody, { position: '{"x":1e999,"y":0}' }, position],
    [PutPositionBody, { position: { x: Number.NaN, y: 0 } }, position],
    [PutPositionBody, { position: { x: 10_000_001, y: 0 } }, position],
    [PutPositionBody, { position: [1, 2] }, position],
    [CloneBlueprintBody, { project_id: id, blueprint: id, position: "here" }, position],
    [CreateNodeQuery, { wob_type: "PROJECT" }, "wob_type must be CODE_BLOCK, COMPUTE_POLICY, STORAGE_POLICY or NOTE."],
    [EdgeBody, { from_id: "x", to_id: 2, transmitter_key: "a", receiver_key: "b" }, "That is not a valid metadata id."],
    [EdgeBody, { from_id: 1, to_id: 2, transmitter_key: "", receiver_key: "b" }, "Transmitter is required."],
    [PutNodeApiBody, { source_code: "", api: "{" }, "Invalid JSON"],
    [PutNodeApiBody, { api: "{}" }, "Code must be text."],
    [PatchNodeApiBody, { api: "7" }, "The api must have disabled, true or false."],
    [PatchAttributeBody, {}, "Send attribute_value or unset=true."],
    [PatchComputePolicyBody, { cpu: "many" }, "CPU must be a number from 0.1 to 256."],
    [PatchComputePolicyBody, { gpu: 1.5 }, "GPU must be a whole number from 0 to 64."],
    [StoragePolicy, { type: "tape" }, "Storage must be a volume or s3."],
    [
      StoragePolicy,
      { type: "volume", name: "../up" },
      "A volume name has letters, digits, dots, dashes and underscores.",
    ],
    [StoragePolicy, { type: "s3" }, "Bucket is required."],
    [StoragePolicy, { type: "s3", bucket: "" }, "Bucket is required."],
    [StoragePolicy, { type: "s3", bucket: "Tides" }, "A bucket name has 3 to 63 lower-case letters"],
    [StoragePolicy, { type: "s3", bucket: "ti..des" }, "A bucket name has 3 to 63 lower-case letters"],
    [StoragePolicy, { type: "s3", bucket: "127.0.0.1" }, "A bucket name has 3 to 63 lower-case letters"],
    [StoragePolicy, { ...s3, prefix: "/data" }, "A prefix is a path such as data/2026"],
    [StoragePolicy, { ...s3, prefix: "data/../up" }, "A prefix is a path such as data/2026"],
    [StoragePolicy, { ...s3, prefix: "a//b" }, "A prefix is a path such as data/2026"],
    [StoragePolicy, { ...s3, prefix: "a\u0000b" }, "A prefix is a path such as data/2026"],
    [StoragePolicy, { ...s3, prefix: "x".repeat(501) }, "Prefix can have at most 500 characters."],
    [StoragePolicy, { ...s3, region: "eu west" }, "A region has letters, digits and dashes"],
    [StoragePolicy, { ...s3, endpoint: "ftp://a" }, "An endpoint is an http or https address"],
    [StoragePolicy, { ...s3, endpoint: "minio:9000" }, "An endpoint is an http or https address"],
    [StoragePolicy, { ...s3, endpoint: "https://me:word@a" }, "An endpoint is an http or https address"],
    [StoragePolicy, { ...s3, endpoint: "https://a?b" }, "An endpoint is an http or https address"],
    [StoragePolicy, { ...s3, endpoint: "https://a:99999" }, "An endpoint is an http or https address"],
    [StoragePolicy, { ...s3, access_key_secret: "two words" }, "The name of a secret has letters"],
    [StoragePolicy, { ...s3, access_key_secret: "AKIAIOSFODNN7EXAMPLE" }, "That looks like the access key itself"],
    [StoragePolicy, { ...s3, secret_key_secret: "a/b+".repeat(10) }, "That looks like the secret key itself"],
    [PatchNodeBody, { locked: "maybe" }, "locked must be true or false."],
  ])("refuses bad input with clear words: %#", (schema, value, words) => {
    expect(refusal(schema, value)).toContain(words);
  });

  test("accepts the names that S3 servers allow in a storage policy", () => {
    const full = {
      type: "s3",
      bucket: "my.tides-2026",
      prefix: "some data/ü+/",
      region: "RegionOne",
      endpoint: "http://[::1]:9000/storage/v1/s3",
      access_key_secret: "S3.ACCESS",
      secret_key_secret: "S3-SECRET",
    };
    expect(StoragePolicy.parse(full)).toEqual(full);
    const empty = { prefix: "", region: "", endpoint: "", access_key_secret: "", secret_key_secret: "" };
    expect(StoragePolicy.parse({ type: "s3", bucket: " tides " })).toEqual({ type: "s3", bucket: "tides", ...empty });
  });

  test("S7-002 accepts forms and JSON alike", () => {
    for (const given of ['{"x":1,"y":-2.5}', { x: 1, y: -2.5 }])
      expect(PutPositionBody.parse({ position: given })).toEqual({ position: { x: 1, y: -2.5 } });
    for (const given of ['{"disabled":true}', { disabled: true }, { disabled: "1" }])
      expect(PatchNodeApiBody.parse({ api: given })).toEqual({ api: { disabled: true } });
    expect(EdgeBody.parse({ from_id: "1", to_id: 2, transmitter_key: "a", receiver_key: "b" }).from_id).toBe(1);
    expect(PatchComputePolicyBody.parse({ name: "Big", cpu: "2.5", gpu: 0 })).toEqual({
      name: "Big",
      cpu: 2.5,
      gpu: 0,
    });
    expect(PatchAttributeBody.parse({ unset: "true" })).toEqual({ unset: true });
    expect(PatchAttributeBody.parse({ attribute_value: null })).toEqual({ attribute_value: null, unset: false });
  });

  test("S7-038 S7-039 a new node is a code block called New Node", () => {
    expect(CreateNodeQuery.parse({})).toEqual({ wob_type: "CODE_BLOCK" });
    expect(CreateNodeBody.parse({ project_id: id })).toMatchObject({ name: "New Node", description: "" });
  });

  test("S7-036 a type may be given as the class", () => {
    expect(WobTypeQuery.parse({ wob_type: "Code_block" }).wob_type).toBe("CODE_BLOCK");
    expect(TagQuery.parse({ wob_type: "PROJECT", public: "false" })).toEqual({ wob_type: "PROJECT", public: false });
  });

  test("keeps code unchanged, and accepts an api without attributes", () => {
    expect(PutNodeApiBody.parse({ source_code: "  x = 1\n\n", api: "{}" })).toEqual({
      source_code: "  x = 1\n\n",
      api: {},
    });
    const api = { attributes: [{ name: "rows", kind: "TABLE", direction: "receiver" }] };
    expect(PutNodeApiBody.parse({ source_code: "", api: JSON.stringify(api) }).api?.attributes).toEqual([
      expect.objectContaining({ name: "rows", kind: "table", direction: "RECEIVER", control: null, edge_text: "" }),
    ]);
  });

  test("S3-011 S3-024 S3-026 have the fields of the specification", () => {
    for (const field of "id metadata_id key class name description order position api body source_code locked git git_branch time_created last_updated last_used status update_policy tags".split(
      " ",
    ))
      expect(Object.keys(Node.shape)).toContain(field);
    expect(Object.keys(Edge.shape)).toEqual(
      expect.arrayContaining(
        "source_wob_key source_transmitter_key destination_wob_key destination_receiver_key is_field kind edge_text segments".split(
          " ",
        ),
      ),
    );
    const graph = { nodes: { "1": sampleNode(1, []) }, edges: [], viewOnly: false, groups: [], revision: 0 };
    expect(GraphResponse.parse(graph)).toEqual(graph);
  });
});

describe("processors", () => {
  test("S7-062 a tag is a whole number, also a large one", () => {
    expect(CreateProcessorBody.parse({ tag: "1800000000000" })).toEqual({ tag: 1_800_000_000_000 });
    expect(refusal(CreateProcessorBody, { tag: "x" })).toContain("Tag must be a whole number");
    expect(refusal(CreateProcessorBody, {})).toContain("Tag must be a whole number");
  });

  test("S7-063 args are optional and kept to the letter", () => {
    expect(CommandBody.parse({})).toEqual({ args: "" });
    const args = compileArgs({ nodeId: 1, attributes: [], code: "x" });
    expect(CommandBody.parse({ args })).toEqual({ args });
  });

  test("S7-076 reads the query of the list from text", () => {
    expect(JobsQuery.parse({ log_max_length: "1", log_lines: "1" })).toEqual({ log_max_length: 1, log_lines: 1 });
    expect(JobsQuery.parse({})).toEqual({});
  });
});

test.each([
  ["S3-007", Project, "id metadata_id name description following created_by"],
  ["S3-010", Member, "id username email first_name last_name avatar"],
  ["S3-010", ProjectMember, "id username role"],
  [
    "S3-028",
    Job,
    "id tag name description class workflow_state container_id time_created total_cost cpu_seconds ram_gb_seconds net_rx_gb net_tx_gb current_cpu cpu_capacity current_ram_gb ram_gb_capacity current_net_rx_gb current_net_tx_gb graph logs",
  ],
  [
    "S3-035",
    ModelsResponse.shape.json.element,
    "name graph authors miranda_version hardware loss accuracy precision recall time_created last_updated",
  ],
])("%s has the fields of the specification", (_id, schema, fields) => {
  expect(Object.keys(schema.shape)).toEqual(expect.arrayContaining(fields.split(" ")));
});

test.each([
  [{ key: "token", value: "" }, "Value is required."],
  [{ key: "a b", value: "x" }, "Key has letters"],
  [{ value: "x" }, "Key is required."],
])("refuses a bad secret with clear words: %j", (body, words) => {
  expect(refusal(CreateSecretBody, body)).toContain(words);
});
