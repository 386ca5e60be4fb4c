import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";

import { SearchList } from "./search-list.tsx";

function classesOfRows(text: string, chosen?: string): string[] {
  const nothing = () => undefined;
  const markup = renderToStaticMarkup(
    <SearchList
      label="Search"
      listLabel="Found"
      text={text}
      onText={nothing}
      onCommit={nothing}
      items={["one", "two"]}
      itemKey={(item) => item}
      chosen={chosen}
      onChoose={nothing}
      renderItem={(item) => item}
      busy={false}
    />,
  );
  return [...markup.matchAll(/role="option"[^>]*class="([^"]*)"/g)].map(([, names = ""]) => names);
}

const isMarked = (names: string | undefined) => names?.split(" ").includes("bg-hover");

it("marks no row before somebody searches, then the one that Enter chooses", () => {
  expect(classesOfRows("").map(isMarked)).toEqual([false, false]);
  expect(classesOfRows("o").map(isMarked)).toEqual([true, false]);
});

it("shows a chosen row in another way than a marked one", () => {
  const [first, second] = classesOfRows("o", "two");
  expect([isMarked(first), second?.includes("bg-accent-soft")]).toEqual([true, true]);
});
