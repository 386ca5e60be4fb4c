import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";

/** The metadata by which node code asks for a package of our own, from a folder: a test needs no network. */
export async function wheelHeader(name: string, code: string, version = "1.0"): Promise<string> {
  const wheel = join(await mkdtemp(join(tmpdir(), "miranda-wheel-")), `${name}-${version}-py3-none-any.whl`);
  const about = `${name}-${version}.dist-info`;
  const files = {
    [`${name}.py`]: code,
    [`${about}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${about}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: miranda\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${about}/RECORD`]: `${name}.py,,\n`,
  };
  await writeFile(wheel, zipFiles(files));
  return `# /// script\n# dependencies = ["${name} @ file://${wheel}"]\n# ///\n`;
}

/** Files as a ZIP archive without compression: enough for a Python wheel. */
function zipFiles(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const body = Buffer.from(text);
    const title = Buffer.from(name);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt32LE(crc32(body), 14);
    header.writeUInt32LE(body.length, 18);
    header.writeUInt32LE(body.length, 22);
    header.writeUInt16LE(title.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    entry.writeUInt16LE(20, 6);
    header.copy(entry, 16, 14, 26);
    entry.writeUInt16LE(title.length, 28);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, title);
    parts.push(header, title, body);
    offset += header.length + title.length + body.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listing, end]);
}
