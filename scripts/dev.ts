import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";

// Hot reload: the client by Vite's own server, which passes API calls on to ours; ours restarts when its files change.

const root = resolve(import.meta.dirname, "..");
const watched = ["server", "contract"].map((folder) => `--watch-path=${folder}`);
const children: ChildProcess[] = [
  spawn(process.execPath, [...watched, "--watch-preserve-output", "server/main.ts"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, MIRANDA_DEV: "1" },
  }),
  spawn(process.execPath, [join("node_modules", "vite", "bin", "vite.js")], { cwd: root, stdio: "inherit" }),
];
for (const child of children) {
  child.once("exit", () => {
    for (const other of children) other.kill("SIGTERM");
  });
}
// Ctrl-C reaches the children by itself; we only wait until they are gone.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => {
  for (const child of children) child.kill("SIGTERM");
});
