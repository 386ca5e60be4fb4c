import { expect } from "@playwright/test";
import sharp from "sharp";

import { address, newBrowser, password, test } from "../drivers/people.ts";

test("changes the profile, picture and password, and generates a token", async ({ page, browser, person }) => {
  await page.goto(address("/account"));
  await page.getByLabel("First name").fill("");
  const saveProfile = page.getByRole("button", { name: /^Save/ }).first();
  await saveProfile.click();
  await expect(page.getByRole("alert").first()).toHaveText("First name is required.");
  await page.getByLabel("First name").fill("Countess");
  await saveProfile.click();
  await expect(page.getByText("saved", { exact: false }).first()).toBeVisible();
  await page.getByTestId("account-avatar").click();
  await expect(page.getByTestId("menu-name")).toHaveText("Countess Tester");
  await page.keyboard.press("Escape");

  const picker = page.locator('input[type="file"]');
  await picker.setInputFiles({ name: "me.png", mimeType: "image/png", buffer: Buffer.from("<html>") });
  await expect(page.getByText("Please choose a PNG, JPEG or WebP picture.")).toBeVisible();
  const picture = await sharp({ create: { width: 300, height: 200, channels: 3, background: "#08f" } })
    .png()
    .toBuffer();
  await picker.setInputFiles({ name: "me.png", mimeType: "image/png", buffer: picture });
  await expect(page.getByTestId("account-avatar").locator("img")).toHaveAttribute(
    "src",
    /\/api\/v3\/accounts\/.+\/avatar/,
  );

  const other = await newBrowser(browser);
  const login = await other.context.request.post(address("/api/v3/auth"), {
    form: { username: person.username, password },
  });
  expect(login.status()).toBe(200);

  await page.getByLabel("Current password").fill("not my password");
  await page.getByLabel("New password").fill("another long password");
  await page
    .getByRole("button", { name: /password/i })
    .filter({ hasText: /change/i })
    .click();
  await expect(page.getByText("Wrong password.")).toBeVisible();
  await page.getByLabel("Current password").fill(password);
  await page
    .getByRole("button", { name: /password/i })
    .filter({ hasText: /change/i })
    .click();
  await expect(
    page
      .getByText("password", { exact: false })
      .filter({ hasText: /changed/i })
      .first(),
  ).toBeVisible();
  expect((await other.context.request.get(address("/api/v3/auth/"))).status()).toBe(401);
  await page.reload();
  await expect(page.getByTestId("bar-title")).toHaveText("Account");

  await page.getByRole("button", { name: /token/i }).first().click();
  const ask = page.getByRole("dialog", { name: "Generate Token" });
  await ask.getByLabel("Password", { exact: true }).fill("another long password");
  await ask.getByRole("button", { name: "Generate token" }).click();
  const made = page.getByRole("dialog", { name: "Token Generated" });
  await expect(made).toContainText(/mir_[\w-]{43}/);
  const token =
    /mir_[\w-]{43}/.exec((await made.textContent()) ?? "")?.[0] ?? (await made.getByRole("textbox").inputValue());
  const program = await browser.newContext();
  const headers = { authorization: `Bearer ${token}` };
  expect((await program.request.get(address("/api/v3/auth/"), { headers })).status()).toBe(200);
  await made.getByRole("button", { name: "Close", exact: true }).first().click();
  await page.getByRole("button", { name: "Revoke Execution token" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /revoke/i })
    .click();
  await expect.poll(async () => (await program.request.get(address("/api/v3/auth/"), { headers })).status()).toBe(401);
  await program.close();
  await other.context.close();
});

test("asks for the password only when the e-mail changes", async ({ page, context, person }) => {
  await page.goto(address("/account"));
  const email = page.getByLabel("E-mail");
  const secret = page.getByLabel("Your password");
  const save = page.getByRole("button", { name: "Save profile" });
  await expect(email).toHaveValue(person.email);
  await expect(secret).toHaveCount(0);
  const next = `new.${person.email}`;
  await email.fill(next);
  await page.getByLabel("First name").fill("Countess");
  await expect(secret).toBeVisible();

  await save.click();
  await expect(page.getByRole("alert")).toHaveText("Enter your password to change your e-mail.");
  await secret.fill("not my password");
  await save.click();
  await expect(page.getByRole("alert")).toHaveText("Wrong password.");
  for (const [field, value] of [
    [email, next],
    [secret, "not my password"],
    [page.getByLabel("First name"), "Countess"],
  ] as const)
    await expect(field).toHaveValue(value);
  const stored = async () =>
    ((await (await context.request.get(address("/api/v3/auth/"))).json()) as { account: { email: string } }).account;
  expect((await stored()).email).toBe(person.email);

  await secret.fill(password);
  await save.click();
  await expect(page.getByText("Profile saved.")).toBeVisible();
  await expect(secret).toHaveCount(0);
  await expect(email).toHaveValue(next);
  expect((await stored()).email).toBe(next);
  // Reverting the change hides the password field again.
  await email.fill("x");
  await expect(secret).toBeVisible();
  await email.fill(next);
  await expect(secret).toHaveCount(0);
});

test("S2-025 shows balance and trial on the billing page", async ({ page, person: _person }) => {
  await page.goto(address("/account/billing"));
  await expect(page.getByText("100").first()).toBeVisible();
});
