import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";

import { ProjectScreen } from "./project-screen.tsx";

test("shows a message without a project id", () => {
  const markup = renderToStaticMarkup(
    <MemoryRouter>
      <ProjectScreen />
    </MemoryRouter>,
  );
  expect(markup).toContain("No project ID provided.");
});
