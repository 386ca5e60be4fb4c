import { describe, expect, it } from "vitest";

import { gitFileName, isGitBranch, parseGitAddress, withoutCredentials } from "./git-address.ts";

describe("a repository's address", () => {
  it.each([
    ["https://example.org/team/nodes.git", "https", "example.org", "example.org/team/nodes", undefined],
    ["https://example.org:8443/x#a b/c.py", "https", "example.org", "example.org/x", "a b/c.py"],
    ["ssh://git@example.org:22/~me/x.git#n.py", "ssh", "example.org", "example.org/~me/x", "n.py"],
    ["git@Example.org:team/x.git", "ssh", "example.org", "Example.org/team/x", undefined],
    ["ssh://[::1]:2222/x", "ssh", "[::1]", "[::1]/x", undefined],
  ])("reads %s", (text, scheme, host, shown, path) => {
    expect(parseGitAddress(text)).toMatchObject({ scheme, host, shown, path });
  });

  it.each(
    [
      "http://example.org/x",
      "file:///etc/passwd",
      "git://example.org/x",
      "ext::sh -c id",
      "/etc",
      "../x",
      "--upload-pack=id",
      "-oProxyCommand=id",
      "ssh://-oProxyCommand=id/x",
      "ssh://git@-oProxyCommand=id/x",
      "-x@example.org:y",
      "git@example.org:-x",
      "https://example.org/-x",
      "https://example.org",
      "https:///x",
      "https://example.org/a b",
      "https://example.org/x\nhttps://example.org/y",
      "HTTPS://example.org/x",
    ].map((text) => [text]),
  )("refuses %j", (text) => {
    expect(parseGitAddress(text)).toEqual({ refusal: "git_scheme" });
  });

  it.each(["", "/a.py", "a//b.py", "../a.py", "a/../../b.py", "./a.py", ".git/config", "a\\b.py", "a\nb.py"])(
    "refuses %j as the name of a file in a repository",
    (path) => {
      expect(parseGitAddress(`https://example.org/x#${path}`)).toEqual({ refusal: "git_path" });
    },
  );

  it("removes the password but keeps the user name of ssh", () => {
    expect(withoutCredentials("https://me:token@example.org/x#a.py")).toBe("https://example.org/x#a.py");
    expect(withoutCredentials("https://token@example.org/x")).toBe("https://example.org/x");
    expect(withoutCredentials("ssh://git:word@example.org/x")).toBe("ssh://git@example.org/x");
    expect(withoutCredentials("git@example.org:x")).toBe("git@example.org:x");
    expect(parseGitAddress("https://me:token@example.org/x")).toMatchObject({ url: "https://example.org/x" });
  });
});

it.each([
  ["New Node", "new_node.py"],
  ["TrainModel", "train_model.py"],
  ["HTTPServer2 (old)", "http_server2_old.py"],
  ["Größe", "größe.py"],
  ["../..", "node.py"],
])("finds the file of %s in %s", (name, file) => {
  expect(gitFileName(name)).toBe(file);
});

it("accepts the branch names that git accepts", () => {
  for (const name of ["main", "feature/x-1", "v1.2", "größe"]) expect([name, isGitBranch(name)]).toEqual([name, true]);
  for (const name of [
    "",
    "-f",
    "--all",
    "a..b",
    "a b",
    "a~1",
    "x.lock",
    "/a",
    "a/",
    "a//b",
    ".a",
    "@",
    "a@{1}",
    "a\nb",
    "a:b",
  ])
    expect([name, isGitBranch(name)]).toEqual([name, false]);
});
