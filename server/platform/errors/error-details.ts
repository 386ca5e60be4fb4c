/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system, such as ENOENT, or of a library. Undefined for an error without a code. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Why a program failed: the last line that it wrote to its standard error, else of the error's message. */
export function lastLineOf(error: unknown): string {
  const stderr = error instanceof Error && "stderr" in error && typeof error.stderr === "string" ? error.stderr : "";
  return (stderr || messageOf(error)).trim().split("\n").at(-1) ?? "";
}
