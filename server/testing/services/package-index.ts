/** Whether the public package index answers. Tests that install from it are skipped when it does not. */
export const hasPackageIndex = await fetch("https://pypi.org/simple/six/", {
  signal: AbortSignal.timeout(10_000),
}).then(
  ({ ok }) => ok,
  () => false,
);

if (!hasPackageIndex)
  process.stderr.write("The package index at pypi.org does not answer: tests that need it are skipped.\n");

/** The metadata by which node code asks for packages. */
export function asksFor(...packages: string[]): string {
  return `# /// script\n# dependencies = [${packages.map((one) => JSON.stringify(one)).join(", ")}]\n# ///\n`;
}
