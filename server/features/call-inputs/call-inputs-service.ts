import { checkInputs, type InputSource, problemWords } from "@miranda/contract/call-inputs/check-inputs.ts";
import type { InputField } from "@miranda/contract/call-inputs/field-types.ts";
import type { InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";
import { createHash } from "node:crypto";

import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { NodeFiles } from "../nodes/files-service.ts";
import { callFileQueries, type CallsOf } from "./call-files-queries.ts";
import { EarlierFile, readGivenFiles, SentFile } from "./given-files.ts";

/** The refusal of a call whose inputs are wrong: every problem is named. */
export class InputsRefusal extends AppError {
  override readonly details: { problems: readonly InputProblem[] };

  constructor(problems: readonly InputProblem[]) {
    super("call_inputs_wrong", problemWords(problems));
    this.details = { problems };
  }
}

export interface Given {
  values: unknown;
  source: InputSource;
  /** What was wrong before the values could be checked, such as a field that was sent twice. */
  problems?: readonly InputProblem[];
}

/** What a call is made with. */
export interface ReadInputs {
  inputs: Record<string, unknown>;
  /** The hashes of the files among them. */
  files: string[];
  /** Of what was given. The same values have the same hash, however they were sent. */
  bodyHash: Buffer;
}

interface Place {
  deploymentId: string;
  fields: readonly InputField[];
  /** Whose earlier files may be used again. */
  caller: CallsOf | undefined;
  /** Whose quota new files count to. */
  payerId: string;
}

interface Dependencies {
  db: Db;
  files: Pick<NodeFiles, "storeUpload">;
}

export type CallInputs = ReturnType<typeof createCallInputs>;

/** Reads and checks what callers give for the fields of a release, and stores their files. */
export function createCallInputs({ db, files }: Dependencies) {
  const queries = callFileQueries(db);

  async function keep(sent: SentFile, payerId: string): Promise<FileValue> {
    if (!sent.data) throw new AppError("file_too_large");
    const mimetype = sent.type.replaceAll(/[^\x20-\x7e]/g, "");
    return files.storeUpload({ accountId: payerId }, { filename: sent.name, mimetype, data: sent.data });
  }

  async function checkEarlier(inputs: Record<string, unknown>, place: Place): Promise<void> {
    const earlier = Object.entries(inputs).filter((one): one is [string, EarlierFile] => one[1] instanceof EarlierFile);
    const isDefault = ([name, { file }]: [string, EarlierFile]): boolean => {
      const given = FileValue.safeParse(place.fields.find((field) => field.name === name)?.default);
      return given.success && given.data.file === file;
    };
    const asked = earlier.filter((one) => !isDefault(one));
    const known = await queries.sentBefore(
      place.deploymentId,
      place.caller,
      asked.map(([, { file }]) => file),
    );
    const problems = asked
      .filter(([, { file }]) => !known.has(file))
      .map(([field]) => ({ field, message: "This file is not there any more. Send it again." }));
    if (problems.length > 0) throw new InputsRefusal(problems);
  }

  return {
    /** Refuses with everything that is wrong. Files are stored only when nothing is, and when `admit` does not throw. */
    async read(
      place: Place,
      { values, source, problems = [] }: Given,
      admit: () => Promise<void>,
    ): Promise<ReadInputs> {
      const given = readGivenFiles(place.fields, values);
      const checked = checkInputs(place.fields, given, source);
      const wrong = [...problems, ...("problems" in checked ? checked.problems : [])];
      if (!("inputs" in checked) || wrong.length > 0) throw new InputsRefusal(wrong);
      await checkEarlier(checked.inputs, place);
      if (Object.values(checked.inputs).some((value) => value instanceof SentFile)) await admit();
      const inputs: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(checked.inputs))
        inputs[name] =
          value instanceof SentFile
            ? await keep(value, place.payerId)
            : value instanceof EarlierFile
              ? { file: value.file, name: value.name, size: value.size, type: value.type }
              : value;
      return { inputs, files: hashesIn(place.fields, inputs), bodyHash: hashOf(given, inputs) };
    },

    findFile: queries.findContent,
  };
}

function hashesIn(fields: readonly InputField[], inputs: Record<string, unknown>): string[] {
  return fields.flatMap((field) => {
    const value = field.control?.type === "file" ? FileValue.safeParse(inputs[field.name]) : undefined;
    return value?.success ? [value.data.file] : [];
  });
}

/** Only of what was given: the defaults of a later release must not make a repeated call another one. */
function hashOf(given: unknown, inputs: Record<string, unknown>): Buffer {
  const names = typeof given === "object" && given !== null ? Object.keys(given) : [];
  const values = names.toSorted().map((name) => [name, inputs[name]]);
  return createHash("sha256").update(JSON.stringify(values)).digest();
}
