import { type HandbookPage, pages } from "./contents.ts";
import { loadPage } from "./handbook-files.ts";
import { sectionsOf } from "./sections.ts";

export interface IndexedSection {
  page: HandbookPage;
  heading: string;
  /** Empty for the start of the page. */
  anchor: string;
  text: string;
  /** In lower case, to search in. */
  title: string;
  body: string;
}

export interface Found {
  section: IndexedSection;
  /** The text around the first word that was found. */
  excerpt: string;
}

const mostFound = 12;
const mostWords = 8;
const excerptBefore = 40;
const excerptLength = 140;

/** Loads every page once, when somebody first searches. */
let loading: Promise<readonly IndexedSection[]> | undefined;
export function loadIndex(): Promise<readonly IndexedSection[]> {
  loading ??= Promise.all(pages.map(async (page) => indexPage(page, await loadPage(page.name))))
    .then((all) => all.flat())
    .catch((cause: unknown) => {
      loading = undefined;
      throw cause;
    });
  return loading;
}

export function indexPage(page: HandbookPage, markdown: string): IndexedSection[] {
  return sectionsOf(markdown).map(({ level, heading, anchor, text }) => {
    const plain = plainText(text);
    return {
      page,
      heading,
      anchor: level === 1 ? "" : anchor,
      text: plain,
      title: heading.toLowerCase(),
      body: plain.toLowerCase(),
    };
  });
}

/** The sections that contain every word, those with the words in their heading first. */
export function searchHandbook(index: readonly IndexedSection[], query: string): Found[] {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).slice(0, mostWords);
  if (words.length === 0) return [];
  return index
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, mostFound)
    .map(({ section }) => ({ section, excerpt: excerptOf(section, words) }));
}

function scoreOf({ title, body, page }: IndexedSection, words: readonly string[]): number {
  let score = title === words.join(" ") ? 40 : 0;
  for (const word of words) {
    const inTitle = title.includes(word);
    const inPage = page.title.toLowerCase().includes(word);
    if (!inTitle && !inPage && !body.includes(word)) return 0;
    if (startsAWord(title, word)) score += 20;
    else if (inTitle) score += 10;
    if (inPage) score += 5;
    score += startsAWord(body, word) ? 2 : 1;
  }
  return score;
}

function startsAWord(text: string, word: string): boolean {
  return ` ${text}`.search(new RegExp(`[^\\p{L}\\p{N}_]${word}`, "u")) >= 0;
}

function excerptOf({ text, body }: IndexedSection, words: readonly string[]): string {
  const at = Math.max(0, Math.min(...words.map((word) => body.indexOf(word)).filter((place) => place >= 0)));
  const from = Number.isFinite(at) && at > excerptBefore ? text.indexOf(" ", at - excerptBefore) + 1 : 0;
  const cut = text.slice(from, from + excerptLength).trim();
  return `${from > 0 ? "… " : ""}${cut}${text.length > from + excerptLength ? " …" : ""}`;
}

/** What a reader sees, without the marks of Markdown. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/^```.*$/gm, "")
    .replaceAll(/^\|[-:| ]+\|$/gm, "")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*|]|^[-#>]+ /gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
