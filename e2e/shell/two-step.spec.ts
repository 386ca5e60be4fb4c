import { type BrowserContext, expect, type Page } from "@playwright/test";

import { codeOf, stepAt } from "../../server/features/auth/second-factor/totp.ts";
import { address, newPerson, password, test } from "../drivers/people.ts";

// Passkeys belong to a name: they do not work at 127.0.0.1.
const byName = (path: string) => address(path).replace("127.0.0.1", "localhost");

/** Registers a person at the server's name. */
async function enter(context: BrowserContext, username: string): Promise<void> {
  const form = { username, email: `${username}@example.org`, first_name: "Ada", last_name: "Tester", password };
  expect((await context.request.post(byName("/api/v3/auth/register"), { form })).status()).toBe(200);
  await context.request.post(byName("/api/v3/auth/onboarding"), { form: { industry: "", role: "" } });
}

/** Chromium's own authenticator, instead of a finger on a sensor. */
async function addAuthenticator(page: Page): Promise<void> {
  // Passkeys among the suggested usernames would sign in before the button is pressed: this finger never leaves the sensor.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function firstStep(page: Page, username: string): Promise<void> {
  await page.goto(byName("/login"));
  await page.getByLabel("Username or e-mail").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
}

async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.goto(byName("/login"));
  await page.evaluate(() => localStorage.clear());
}

test("sets up an app and a passkey, and signs in with a code, a recovery code, and the passkey alone", async ({
  page,
  context,
}) => {
  const { username } = newPerson();
  await enter(context, username);
  await page.goto(byName("/account"));
  const section = page.getByRole("region", { name: "Two-step sign-in" });
  const dialog = page.getByRole("dialog");

  await section.getByRole("button", { name: "Set up an authenticator app" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("alert")).toHaveText("Password is required.");
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("img", { name: "QR code" })).toBeVisible();
  const key = (await page.getByTestId("app-key").innerText()).replaceAll(/\s/g, "");
  const codeOff = (seconds: number) => codeOf(key, stepAt(Date.now() + seconds * 1000));
  await page.getByLabel("Code", { exact: true }).fill(codeOff(600));
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByRole("alert")).toContainText("clock of your phone");
  await page.getByLabel("Code", { exact: true }).fill(codeOff(0));
  await page.getByRole("button", { name: "Turn on" }).click();
  const codes = page.getByTestId("recovery-code");
  await expect(codes).toHaveCount(10);
  const [first = "", second = ""] = await codes.allInnerTexts();
  await expect(page.getByRole("button", { name: "Done" })).toBeDisabled();
  await page.getByLabel("I have saved the codes").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(section.getByText("10 of 10 unused")).toBeVisible();

  await signOut(page);
  await firstStep(page, username);
  // The code of this moment confirmed the app, so it is used. The next one is accepted early.
  await page.getByLabel("Code", { exact: true }).fill(codeOff(-60));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("clock of your phone");
  await page.getByLabel("Code", { exact: true }).fill(codeOff(30));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/designer\/?$/);

  const useRecoveryCode = async (code: string) => {
    await signOut(page);
    await firstStep(page, username);
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(code);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  await useRecoveryCode(first);
  await expect(page).toHaveURL(/\/designer\/?$/);
  await useRecoveryCode(first);
  await expect(page.getByRole("alert")).toContainText("used already");
  await page.getByLabel("Recovery code").fill(second);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/designer\/?$/);

  await addAuthenticator(page);
  await page.goto(byName("/account"));
  await section.getByRole("button", { name: "Add a passkey" }).click();
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await dialog.getByLabel("Name").fill("Work laptop");
  await dialog.getByRole("button", { name: "Add a passkey" }).click();
  await expect(section.getByText("Work laptop")).toBeVisible();

  // The passkey stands in for the password.
  await page.getByRole("button", { name: "Generate token" }).click();
  await page.getByRole("button", { name: "Use a passkey instead" }).click();
  await expect(page.getByText("Confirmed with your passkey.")).toBeVisible();
  await dialog.getByRole("button", { name: "Generate token" }).click();
  await expect(page.getByTestId("generated-token")).toBeVisible();

  await signOut(page);
  await page.goto(byName("/login"));
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page).toHaveURL(/\/designer\/?$/);
  await page.goto(byName("/account"));
  await section.getByRole("button", { name: "Remove Work laptop" }).click();
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(section.getByText("Work laptop")).toHaveCount(0);
});
