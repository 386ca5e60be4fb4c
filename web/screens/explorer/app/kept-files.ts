// Files of forms that were not run yet. They are kept under keys that only the draft in the tab's session storage knows:
// another tab, or somebody who uses this browser later, finds no way to them.

const [database, store] = ["miranda form files", "files"];
const keptFor = 24 * 60 * 60_000;

interface Kept {
  file: File;
  at: number;
}

/** Keeps a file until the form is run. False when this browser keeps none. */
export async function keepFile(key: string, file: File): Promise<boolean> {
  const kept: Kept = { file, at: Date.now() };
  return (await transact("readwrite", (files) => files.put(kept, key))) !== undefined;
}

/** Undefined when it is gone. */
export async function findKeptFile(key: string): Promise<File | undefined> {
  const found = await transact("readonly", (files) => files.get(key) as IDBRequest<Kept | undefined>);
  return found?.result?.file;
}

/** Removes files that are not needed any more, and those of tabs that were closed long ago. */
export async function dropKeptFiles(keys: readonly string[]): Promise<void> {
  const old = Date.now() - keptFor;
  await transact("readwrite", (files) => {
    for (const key of keys) files.delete(key);
    const cursor = files.openCursor();
    cursor.addEventListener("success", () => {
      const found = cursor.result;
      if (!found) return;
      if ((found.value as Kept).at < old) found.delete();
      found.continue();
    });
    return cursor;
  });
}

/** What came of the work. Undefined when storage is off, full or broken: the form works without it. */
async function transact<Result>(
  mode: IDBTransactionMode,
  work: (files: IDBObjectStore) => IDBRequest<Result>,
): Promise<{ result: Result } | undefined> {
  let opened: IDBDatabase | undefined;
  try {
    opened = await open();
    const transaction = opened.transaction(store, mode);
    const request = work(transaction.objectStore(store));
    await new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", () => reject(transaction.error ?? new Error("The file was not kept.")));
    });
    return { result: request.result };
  } catch {
    return undefined;
  } finally {
    opened?.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.addEventListener("upgradeneeded", () => request.result.createObjectStore(store));
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("Files cannot be kept.")));
    request.addEventListener("blocked", () => reject(new Error("Files cannot be kept.")));
  });
}
