import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let owner: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

const picture = sharp({ create: { width: 640, height: 400, channels: 3, background: "#0a7" } });

function upload(file: Buffer, name: string, type: string) {
  const form = new FormData();
  form.set("avatar", new File([new Uint8Array(file)], name, { type }));
  return owner.send("PUT", "/api/v3/auth/avatar", form);
}

it.each(["png", "jpeg", "webp"] as const)("redraws a %s as a small square WebP", async (format) => {
  const answer = await upload(await picture.clone().toFormat(format).toBuffer(), `me.${format}`, `image/${format}`);
  const address = answer.json<AuthResponse>().account.avatar ?? "";
  const served = await fetch(server.url + address, {
    headers: { cookie: `miranda_session=${owner.cookies.get("miranda_session")}` },
  });
  expect(served.headers.get("content-type")).toBe("image/webp");
  expect(served.headers.get("x-content-type-options")).toBe("nosniff");
  const { width, height, format: stored } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
  expect({ width, height, stored }).toEqual({ width: 256, height: 256, stored: "webp" });
});

const html = Buffer.from("<html><script>alert(1)</script></html>");
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>');

it.each([
  ["HTML named .png", html, "Please choose a PNG, JPEG or WebP picture."],
  ["SVG named .png", svg, "Please choose a PNG, JPEG or WebP picture."],
  [
    "a PNG that is cut off",
    Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
    "Please choose a PNG, JPEG or WebP picture.",
  ],
  ["20 MB", Buffer.alloc(20 * 1024 * 1024, 1), "That is too large."],
  ["just over the limit", Buffer.alloc(5 * 1024 * 1024 + 1, 1), "That picture is too large. 5 MB is the most."],
])("refuses %s and keeps the old picture", async (_what, file, message) => {
  const before = (await owner.get("/api/v3/auth/")).json<AuthResponse>().account.avatar;
  const answer = await upload(file, "me.png", "image/png");
  expect([answer.status >= 400 && answer.status < 500, answer.text]).toEqual([true, message]);
  expect((await owner.get("/api/v3/auth/")).json<AuthResponse>().account.avatar).toBe(before);
});

it("refuses a picture sent as a text field", async () => {
  expect((await owner.put("/api/v3/auth/avatar", { avatar: "data:image/png;base64,AAAA" })).status).toBe(415);
});

it("shows pictures to signed-in people only, and deletes one on request", async () => {
  await upload(await picture.clone().png().toBuffer(), "me.png", "image/png");
  const address = (await owner.get("/api/v3/auth/")).json<AuthResponse>().account.avatar ?? "";
  expect((await server.anonymous().get(address)).status).toBe(401);
  const removed = await owner.delete("/api/v3/auth/avatar");
  expect(removed.json<AuthResponse>().account.avatar).toBeNull();
  expect((await owner.get(address)).status).toBe(404);
});
