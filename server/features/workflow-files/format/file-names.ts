import { gitFileName } from "@miranda/contract/graph/git-address.ts";

const longestStem = 80;
// Windows opens a device when a file has one of these names.
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Gives out names that differ even where letter case and accents do not count, as on most laptops. */
export function createFileNames() {
  const taken = new Set<string>();

  return {
    /** The wanted name, or with a number behind its stem when it is taken. */
    take(stem: string, ending = ""): string {
      const safe = devices.test(stem) ? `${stem}_` : stem;
      for (let count = 1; ; count += 1) {
        const name = count === 1 ? safe + ending : `${safe}_${count}${ending}`;
        const plain = sameNameKey(name);
        if (taken.has(plain)) continue;
        taken.add(plain);
        return name;
      }
    },
  };
}

/** Two names with the same key are one file on some file systems. */
export function sameNameKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** The file of a node, without its ending: its name in snake case. */
export function nodeStem(name: string): string {
  return cut(gitFileName(name).slice(0, -".py".length));
}

/** The name of an uploaded file as a stem and an ending. */
export function uploadedName(name: string): { stem: string; ending: string } {
  const safe = name
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._ -]+/gu, "_")
    .replaceAll(/^[. ]+|[. ]+$/g, "");
  const dot = safe.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ""];
  return { stem: cut(stem) || "file", ending: ending.slice(0, 20).trimEnd() };
}

/** At most so many characters, without half of one. */
function cut(stem: string): string {
  return stem.slice(0, longestStem).toWellFormed().replaceAll("\ufffd", "");
}
