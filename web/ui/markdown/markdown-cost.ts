/** The parser needs quadratic time to pair emphasis marks: a few kilobytes of them would freeze the page. */
const limits = { characters: 60_000, marks: 6_000, marksInBlock: 1_200, containers: 16 } as const;

const pairedMarks = /[*_~[\]>]/g;
const cellMarks = /\|/g;
const lighterMarks = /[`@<&!\n]/g;
const deepContainers = new RegExp(`^(?:[ \\t]*(?:>|[*+-][ \\t]|\\d{1,9}[.)][ \\t])){${limits.containers + 1}}`, "m");

/** Whether a text should be shown as plain text. No ordinary text comes near these limits. */
export function isCostlyMarkdown(text: string): boolean {
  if (text.length > limits.characters || deepContainers.test(text)) return true;
  let total = 0;
  for (const block of text.split(/\n[ \t]*\n/)) {
    const marks = count(block, pairedMarks) + count(block, cellMarks) / 2 + count(block, lighterMarks) / 4;
    total += marks;
    if (marks > limits.marksInBlock || total > limits.marks) return true;
  }
  return false;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
