import { className, uniqueIdentifier } from "@miranda/contract/graph/python-names.ts";
import type { ModelSignature, SignatureField } from "@miranda/contract/schemas/models/versions.ts";

// The code of a node that predicts with a model.

export interface CodeWish {
  modelName: string;
  number: number;
  /** Every run loads the version that has the alias then. */
  alias: string | undefined;
  /** As a requirements file names them. */
  packages: readonly string[];
  /** The version of MLflow that wrote the model; empty when it is not known. */
  mlflowVersion: string;
  signature: ModelSignature | null;
}

/** For models that do not name the MLflow version that made them. The tests run this one. */
const usualMlflow = "3.17.2";

// Forms with more fields are of no use to people.
const fieldsMax = 60;

/** A value of Python that is a text, whatever it holds. JSON's escapes are Python's. */
const quoted = (text: string): string => JSON.stringify(text);

export function modelUri({ modelName, number, alias }: Pick<CodeWish, "modelName" | "number" | "alias">): string {
  return alias === undefined ? `models:/${modelName}/${number}` : `models:/${modelName}@${alias}`;
}

/** For a workflow: data comes in by an edge, predictions go out by one. */
export function nodeCode(wish: CodeWish): string {
  const isTensor = isTensorOnly(wish.signature);
  return [
    ...header(wish, ["Node", "Receiver", "Transmitter"], false),
    `class Predict${className(wish.modelName)}(Node):`,
    `    """Predicts with ${commentOf(modelUri(wish))}."""`,
    "",
    "    data = Receiver()",
    "    prediction = Transmitter()",
    "",
    "    def run(self):",
    `        # data: ${isTensor ? "an array" : "a table with the columns that the model was trained on"}.`,
    "        self.prediction.send(load_model().predict(self.data))",
    "",
  ].join("\n");
}

/** For a deployment: callers are asked for each input of the signature. */
export function formCode(wish: CodeWish): string {
  const { signature } = wish;
  const columns = columnsOf(signature);
  const used = new Set(["prediction", "data", "pandas", "numpy", "mlflow", "load_model", "plain", "MODEL"]);
  const inputs = (columns ?? []).map((field) => ({
    field,
    name: uniqueIdentifier(field.name.toLowerCase(), used, "input"),
  }));
  const params = (signature?.params ?? [])
    .filter(({ shape, type }) => shape === null && type in controls)
    .slice(0, fieldsMax)
    .map((field) => ({ field, name: uniqueIdentifier(field.name.toLowerCase(), used, "param") }));
  const fields = [...inputs, ...params];
  const isWhole = columns === undefined;
  const narrow = narrowTypes(signature);
  const names = [...new Set(fields.map(({ field }) => controls[field.type]?.control.split("(")[0] ?? "Text"))];
  const imports = ["Node", "Transmitter", "Field", ...names, ...(isWhole ? ["Json"] : []), "show"];
  const given = params.length > 0 ? ", params={" + params.map(pair).join(", ") + "}" : "";
  return [
    ...header(wish, [...new Set(imports)], true, isTensorOnly(signature)),
    ...plainLines,
    ...(narrow.length > 0 ? narrowLines : []),
    `class Predict${className(wish.modelName)}(Node):`,
    `    """Predicts with ${commentOf(modelUri(wish))}."""`,
    "",
    ...fields.map(
      ({ field, name }) => `    ${name} = Field(${defaultOf(field)}, control=${controls[field.type]?.control})`,
    ),
    ...(isWhole ? [`    data = Field(${wholeDefault(signature)}, control=Json())`] : []),
    "    prediction = Transmitter()",
    "",
    "    def run(self):",
    ...(isWhole
      ? wholeData(signature)
      : [
          "        data = pandas.DataFrame([{",
          ...inputs.map((one) => `            ${pair(one)},`),
          "        }])",
          ...narrowData(narrow),
        ]),
    `        result = plain(load_model().predict(data${given}))`,
    "        show(result)",
    "        self.prediction.send(result)",
    "",
  ].join("\n");
}

const plainLines = [
  "def plain(result):",
  '    """What programs that call this get: numbers, texts and lists of them."""',
  '    if hasattr(result, "to_dict"):',
  '        result = result.to_dict("records") if hasattr(result, "columns") else result.tolist()',
  '    elif hasattr(result, "tolist"):',
  "        result = result.tolist()",
  "    return result[0] if isinstance(result, list) and len(result) == 1 else result",
  "",
  "",
];

interface TypeRule {
  control: string;
  /** The Python value of a field. */
  cast: (name: string) => string;
  empty: string;
}

const number: TypeRule = { control: "Number()", cast: (name) => `float(${name})`, empty: "0.0" };
const whole: TypeRule = { control: "Number(step=1)", cast: (name) => `int(${name})`, empty: "0" };

const controls: Readonly<Record<string, TypeRule>> = {
  double: number,
  float: number,
  long: whole,
  integer: whole,
  boolean: { control: "Toggle()", cast: (name) => `bool(${name})`, empty: "False" },
  string: { control: "Text()", cast: (name) => `str(${name})`, empty: '""' },
  datetime: { control: 'Text(placeholder="2026-01-31")', cast: (name) => `pandas.to_datetime(${name})`, empty: '""' },
};

function header(
  { packages, ...wish }: CodeWish,
  imports: readonly string[],
  hasTable: boolean,
  isTensor = false,
): string[] {
  // A newer MLflow may read the model differently, or may not install at all.
  const mlflow = packages.find(isMlflow);
  const needed = [
    mlflow?.includes("=") ? mlflow : `mlflow==${wish.mlflowVersion || usualMlflow}`,
    ...packages.filter((name) => !isMlflow(name)),
    ...(hasTable && !packages.some((name) => /^pandas\b/i.test(name)) ? ["pandas"] : []),
  ];
  const load =
    wish.alias === undefined
      ? ["    return mlflow.pyfunc.load_model(MODEL)"]
      : [
          "    # The alias may have been moved since the last run.",
          `    version = mlflow.MlflowClient().get_model_version_by_alias(${quoted(wish.modelName)}, ${quoted(wish.alias)}).version`,
          '    log(f"{MODEL} is version {version}.")',
          "    return load_version(version)",
          "",
          "",
          "@cache",
          "def load_version(version):",
          `    return mlflow.pyfunc.load_model("models:/" + ${quoted(wish.modelName)} + f"/{version}")`,
        ];
  return [
    "# /// script",
    "# dependencies = [",
    ...needed.map((name) => `#     ${quoted(name)},`),
    "# ]",
    "# ///",
    "from functools import cache",
    "",
    "import mlflow",
    ...(isTensor ? ["import numpy"] : []),
    ...(hasTable ? ["import pandas"] : []),
    `from miranda import ${[...imports, ...(wish.alias === undefined ? [] : ["log"])].toSorted().join(", ")}`,
    "",
    `MODEL = ${quoted(modelUri(wish))}`,
    "",
    "",
    ...(wish.alias === undefined ? ["@cache"] : []),
    "def load_model():",
    ...load,
    "",
    "",
  ];
}

const isMlflow = (requirement: string): boolean => /^mlflow(?:-skinny)?(?![\w.-])/i.test(requirement);

/** A doc text ends where three quotes are. */
function commentOf(text: string): string {
  return text.replaceAll(/["\\\r\n]/g, " ");
}

/** Columns that a form can ask for one by one. Undefined: it asks for all data at once. */
function columnsOf(signature: ModelSignature | null): SignatureField[] | undefined {
  const inputs = signature?.inputs ?? [];
  if (inputs.length === 0 || inputs.length > fieldsMax) return undefined;
  return inputs.every(({ name, type }) => name !== "" && type in controls) ? inputs : undefined;
}

function isTensorOnly(signature: ModelSignature | null): boolean {
  const inputs = signature?.inputs ?? [];
  return inputs.length === 1 && (inputs[0]?.type.startsWith("tensor") ?? false);
}

function pair({ field, name }: { field: SignatureField; name: string }): string {
  return `${quoted(field.name)}: ${controls[field.type]?.cast(`self.${name}`) ?? `self.${name}`}`;
}

function defaultOf({ type, default: given }: SignatureField): string {
  if (typeof given === "number" && Number.isFinite(given)) return String(given);
  if (typeof given === "string" && (type === "string" || type === "datetime")) return quoted(given);
  if (typeof given === "boolean" && type === "boolean") return given ? "True" : "False";
  return controls[type]?.empty ?? "None";
}

/** One row or one item to begin with. */
function wholeDefault(signature: ModelSignature | null): string {
  const inputs = signature?.inputs ?? [];
  if (isTensorOnly(signature)) {
    const width = inputs[0]?.shape?.at(-1) ?? -1;
    return width > 0 && width <= 100 ? `[[${Array.from({ length: width }, () => "0.0").join(", ")}]]` : "[[0.0]]";
  }
  const row = inputs.slice(0, fieldsMax).filter(({ name }) => name !== "");
  return row.length > 0 ? `[{${row.map((field) => `${quoted(field.name)}: ${defaultOf(field)}`).join(", ")}}]` : "[]";
}

function wholeData(signature: ModelSignature | null): string[] {
  const type = /^tensor of (\w{1,20})$/.exec(signature?.inputs[0]?.type ?? "")?.[1];
  if (isTensorOnly(signature))
    return [`        data = numpy.asarray(self.data${type === undefined ? "" : `, dtype=${quoted(type)}`})`];
  return ["        data = pandas.DataFrame(self.data)", ...narrowData(narrowTypes(signature))];
}

const narrowData = (types: readonly string[]): string[] =>
  types.length > 0 ? [`        data = narrowed(data, {${types.join(", ")}})`] : [];

const narrowLines = [
  "def narrowed(data, types):",
  '    """Gives columns the types of the model. A whole number that would change is left to MLflow, which refuses it."""',
  "    for name in data.columns.intersection(list(types)):",
  "        column = data[name].astype(types[name])",
  '        if types[name] == "float32" or (column == data[name]).all():',
  "            data[name] = column",
  "    return data",
  "",
  "",
];

const narrowNames: Readonly<Record<string, string>> = { float: "float32", integer: "int32" };

/** Types of columns that pandas would make wider. MLflow refuses to narrow them. */
function narrowTypes(signature: ModelSignature | null): string[] {
  return (signature?.inputs ?? []).flatMap(({ name, type }) => {
    const narrow = narrowNames[type];
    return name === "" || narrow === undefined ? [] : [`${quoted(name)}: ${quoted(narrow)}`];
  });
}
