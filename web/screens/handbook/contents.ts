export interface HandbookPage {
  /** The name of its file in docs/handbook/, and its address below /docs/. */
  name: string;
  title: string;
  about: string;
}

/** The pages of the handbook, in the order in which they are read. */
export const contents: readonly { title: string; pages: readonly HandbookPage[] }[] = [
  {
    title: "Start",
    pages: [
      {
        name: "first-workflow",
        title: "Your first workflow",
        about: "From an empty project to a result, in five minutes.",
      },
      { name: "canvas", title: "The canvas", about: "Add, connect, arrange and share nodes." },
    ],
  },
  {
    title: "Write",
    pages: [
      { name: "writing-nodes", title: "Writing a node", about: "Ports, fields, and when a node runs." },
      { name: "sdk", title: "SDK reference", about: "Every class, function and argument of the package miranda." },
      { name: "packages", title: "Packages", about: "Use pandas, scikit-learn and everything else on PyPI." },
      { name: "secrets", title: "Secrets, files and storage", about: "Passwords, uploads, folders and buckets." },
      { name: "cookbook", title: "Cookbook", about: "Short answers, each with code." },
    ],
  },
  {
    title: "Run",
    pages: [
      { name: "running", title: "Running and debugging", about: "Run, interrupt, breakpoints, exceptions." },
      { name: "runs", title: "Runs and results", about: "What was run, what it cost, and what is kept." },
      { name: "billing", title: "Usage and billing", about: "What you spent, budgets, and project credits." },
      { name: "versions", title: "Versions", about: "Publish, compare, restore, merge." },
      { name: "models", title: "Models", about: "Record what you trained." },
    ],
  },
  {
    title: "Share",
    pages: [
      { name: "people", title: "People and teams", about: "Share projects, invite people, make teams." },
      { name: "deploying", title: "Deploying and the Explorer", about: "Turn a workflow into an app for everybody." },
      { name: "schedules", title: "Schedules", about: "Run a deployment at given times." },
      { name: "api", title: "The API", about: "Use Miranda from programs and from the command line." },
      { name: "signing-in", title: "Signing in", about: "Passwords, authenticator apps, passkeys, recovery codes." },
      {
        name: "administration",
        title: "Administration",
        about: "People, settings, sessions, machines, storage, prices.",
      },
      { name: "operations", title: "Operations", about: "Install, configure and look after a server." },
    ],
  },
];

export const pages: readonly HandbookPage[] = contents.flatMap((group) => group.pages);

/** The pages before and after a page. */
export function neighboursOf(name: string): { before: HandbookPage | undefined; after: HandbookPage | undefined } {
  const at = pages.findIndex((page) => page.name === name);
  return at < 0 ? { before: undefined, after: undefined } : { before: pages[at - 1], after: pages[at + 1] };
}
