import { exampleInputs } from "@miranda/contract/call-docs/examples.ts";
import { inputsSchema } from "@miranda/contract/call-docs/field-schema.ts";
import { type InputField, typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import { call as limits } from "@miranda/contract/limits.ts";
import { Call, CallPage, InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";
import { z } from "zod";

type Json = Record<string, unknown>;

/** What the document says about an app. */
export interface DescribedApp {
  name: string;
  title: string;
  description: string;
  release: number;
  fields: readonly InputField[];
}

const callRef = { $ref: "#/components/schemas/Call" };
const json = (schema: Json, example?: unknown): Json => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

/** The OpenAPI document of one deployment: its own fields, and everything that can be done with its calls. */
export function openApiDocument(app: DescribedApp, origin: string): Json {
  const base = `/api/v3/deployments/${app.name}/runs`;
  return {
    openapi: "3.1.0",
    info: {
      title: app.title,
      version: `${app.release}`,
      description: [app.description, about].filter(Boolean).join("\n\n"),
    },
    servers: [{ url: origin }],
    security: [{ token: [] }],
    paths: {
      [base]: { post: callOperation(app), get: listOperation },
      [`${base}/{id}`]: { parameters: [idParameter], get: operation("getCall", "A run and its result", ok(callRef)) },
      [`${base}/{id}/events`]: { parameters: [idParameter], get: eventsOperation },
      [`${base}/{id}/cancel`]: {
        parameters: [idParameter],
        post: operation("cancelCall", "Cancel a run", { ...ok(callRef), "409": refusal("It has ended.") }),
      },
      [`${base}/{id}/files/{number}`]: { parameters: [idParameter, numberParameter], get: fileOperation },
      [`${base}/{id}/share`]: {
        parameters: [idParameter],
        post: operation("shareCall", "Share the result: whoever has the address may see it", ok(shared)),
        delete: operation("stopSharing", "Stop sharing the result", { "204": { description: "It is not shared." } }),
      },
    },
    components: {
      schemas: { Inputs: inputsSchema(app.fields, "text"), Call: schemaOf(Call), CallPage: schemaOf(CallPage) },
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token of this deployment (it begins with mdt_), or an access token of your account.",
        },
      },
    },
  };
}

const about =
  `Every run is accepted at once and answered with 202; \`?wait=seconds\` answers with the result when the run ends
within that time. A run continues when the connection is lost: ask for it again by its id. Errors are plain text that people can
read; the header \`x-miranda-error\` has a code for programs.`.replaceAll("\n", " ");

const shared: Json = { type: "object", properties: { share: { type: "string" } }, required: ["share"] };
const idParameter: Json = {
  name: "id",
  in: "path",
  required: true,
  description: "The id of the run.",
  schema: { type: "string", format: "uuid" },
};
const numberParameter: Json = {
  name: "number",
  in: "path",
  required: true,
  description: "The number of the output.",
  schema: { type: "integer", minimum: 1 },
};

function ok(schema: Json): Json {
  return { "200": { description: "The answer.", content: json(schema) } };
}

function refusal(description: string, more: Json = {}): Json {
  return { description, content: { "text/plain": { schema: { type: "string" } } }, ...more };
}

const refusals: Json = {
  "401": refusal("The token is missing, unknown or revoked."),
  "404": refusal("There is no such app or run, or you may not see it."),
  "429": refusal("Too many requests. Wait for the time in Retry-After.", {
    headers: { "Retry-After": { description: "In seconds.", schema: { type: "integer" } } },
  }),
};

function operation(operationId: string, summary: string, responses: Json, more: Json = {}): Json {
  return { operationId, summary, ...more, responses: { ...responses, ...refusals } };
}

function callOperation({ fields, title }: DescribedApp): Json {
  const isFile = (field: InputField) => typeOfField(field) === "file";
  const hasFiles = fields.some(isFile);
  const example = exampleInputs(fields.filter((field) => !isFile(field)));
  const description = hasFiles
    ? "Send files as parts of a form, or inside JSON as base64."
    : "Send the fields as JSON, by name.";
  const problems = {
    type: "object",
    properties: { message: { type: "string" }, problems: { type: "array", items: schemaOf(InputProblem) } },
  };
  return operation(
    "call",
    `Run ${title}`,
    {
      "200": { description: "The run has ended. Its state says how.", content: json(callRef) },
      "202": {
        description: "The run was accepted.",
        headers: { Location: { description: "The address of the run.", schema: { type: "string" } } },
        content: json(callRef),
      },
      "400": refusal("Some fields are wrong. Each problem has a line; with `Accept: application/json`, an entry.", {
        content: { "text/plain": { schema: { type: "string" } }, ...json(problems) },
      }),
      "402": refusal("The account that pays has no credits left."),
      "409": refusal("The key was used with another body, or the app is not available now."),
      "413": refusal("The body is too large."),
    },
    {
      description,
      parameters: [
        {
          name: "wait",
          in: "query",
          description: "Answers when the run has ended, or after this many seconds.",
          schema: { type: "number", minimum: 0, maximum: limits.waitSecondsMax, default: 0 },
        },
        {
          name: "Idempotency-Key",
          in: "header",
          description: `The same key with the same body starts one run, for ${limits.keyHours} hours.`,
          schema: { type: "string", maxLength: limits.keyMax },
        },
      ],
      requestBody: {
        required: fields.some(({ required }) => required),
        content: {
          ...json({ $ref: "#/components/schemas/Inputs" }, hasFiles ? undefined : example),
          ...(hasFiles && { "multipart/form-data": { schema: inputsSchema(fields, "part") } }),
        },
      },
    },
  );
}

const listOperation = operation("listCalls", "Your runs, newest first", ok({ $ref: "#/components/schemas/CallPage" }), {
  parameters: [
    { name: "after", in: "query", description: "The `next` of the page before.", schema: { type: "string" } },
    { name: "limit", in: "query", schema: { type: "integer", minimum: 1 } },
    {
      name: "state",
      in: "query",
      description: "`alive`: waits or runs. `bad`: failed, crashed or lost.",
      schema: { type: "string" },
    },
  ],
});

const eventsOperation = operation(
  "followCall",
  "Follow a run",
  { "200": { description: "The events.", content: { "text/event-stream": { schema: { type: "string" } } } } },
  {
    description:
      "Server-sent events: `call` with everything at first and without outputs when its state, steps or place in the queue " +
      "change, `output` with each new output, `log` with lines for those who may read the workflow, `end` with everything " +
      "once it has ended. Send the id of the last event as `Last-Event-ID` to continue after it.",
    parameters: [{ name: "Last-Event-ID", in: "header", schema: { type: "string" } }],
  },
);

const fileOperation = operation(
  "getFile",
  "An output as a file",
  {
    "200": {
      description: "The file.",
      content: { "application/octet-stream": { schema: {} }, "text/csv": { schema: { type: "string" } } },
    },
  },
  { parameters: [{ name: "format", in: "query", schema: { enum: ["csv", "json"] } }] },
);

/** As OpenAPI 3.1 has it: a part of the document names no version of JSON Schema. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  return rest;
}
