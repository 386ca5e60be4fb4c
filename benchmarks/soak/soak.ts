import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { openInstallation } from "./installation.ts";
import { drawCurves } from "./picture.ts";
import { longest, shortest } from "./plan.ts";
import { reportText } from "./report.ts";
import { runSoak } from "./run-soak.ts";

// Puts many people, processors and two real browsers on one server for some minutes, cuts and stalls connections, kills
// the server once, and checks at the end that nothing was lost. `npm run soak -- 5`.

const folder = resolve(import.meta.dirname, "..", "..", "test-results", "soak");

const minutes = Number(process.argv[2] ?? 5);
if (!(minutes >= shortest && minutes <= longest)) {
  console.error(`A soak takes from ${shortest} to ${longest} minutes: npm run soak -- 5`);
  process.exit(2);
}

const installation = await openInstallation();
try {
  const report = await runSoak(minutes, installation);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "curves.svg"), drawCurves(report.samples, report.marks));
  await writeFile(join(folder, "report.md"), reportText(report));
  console.log(reportText(report));
  process.exitCode = report.checks.every(({ wrong }) => wrong.length === 0) ? 0 : 1;
} finally {
  await installation.close();
}
