import { loadPart } from "../../load-part.ts";

const texts = import.meta.glob<string>("../../../docs/handbook/*.md", { query: "?raw", import: "default" });
const pictures = import.meta.glob<string>("../../../docs/handbook/pictures/*.webp", {
  query: "?url",
  import: "default",
  eager: true,
});

/** The Markdown of a page. Each page is a part of the client that is loaded when it is opened. */
export function loadPage(name: string): Promise<string> {
  const load = texts[`../../../docs/handbook/${name}.md`];
  return load ? loadPart(load) : Promise.reject(new Error(`The handbook has no page ${name}.`));
}

/** The address of a picture, which pages name by `pictures/name.webp`. */
export function pictureAddress(path: string): string | undefined {
  return pictures[`../../../docs/handbook/${path}`];
}
