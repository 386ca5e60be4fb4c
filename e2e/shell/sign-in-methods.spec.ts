import { expect, type Page } from "@playwright/test";
import { once } from "node:events";
import { createServer } from "node:net";

import { linkIn, type MailServer, startMailServer } from "../../server/testing/mail-server.ts";
import { codeOf, stepAt } from "../../server/features/auth/second-factor/totp.ts";
import { startProvider, type TestProvider } from "../../server/testing/services/oidc-provider.ts";
import { password, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";

let acme: TestProvider;
let post: MailServer;
let product: Product;

test.beforeAll(async () => {
  const port = await freePort();
  // Another site than the provider's, so that cookies are sent as they are on the internet.
  const url = `http://localhost:${port}`;
  acme = await startProvider(url);
  post = await startMailServer();
  const { id, name, issuer, clientId: client_id, clientSecret: client_secret } = acme.settings;
  const provider = { id, name, issuer, client_id, client_secret, scopes: "openid profile email" };
  product = await startProduct({
    ...{ PORT: String(port), PUBLIC_URL: url, MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" },
    ...{ MIRANDA_OIDC_PROVIDERS: JSON.stringify([provider]) },
    ...{ MIRANDA_SMTP_URL: post.settings.smtpUrl, MIRANDA_MAIL_FROM: "Miranda <miranda@example.org>" },
  });
});
test.afterAll(async () => {
  await product.stop();
  await Promise.all([acme.close(), post.close()]);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/** Fills in the provider's own page. */
async function signInAtAcme(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any password");
  await page.getByRole("button", { name: "Sign-in" }).click();
}

test("signs in with a provider, sets a password, signs out there too, and is refused with words", async ({ page }) => {
  const { url } = product;
  const admin = { username: "lead", email: "lead@example.org", first_name: "Lea", last_name: "Lead", password };
  expect((await page.request.post(`${url}/api/v3/auth/register`, { form: admin })).status()).toBe(200);
  await page.request.post(`${url}/api/v3/auth/onboarding`, { form: {} });

  // The lead confirms their address, in the browser where they are signed in.
  await page.goto(`${url}/designer`);
  const bar = page.getByTestId("confirm-email");
  await expect(bar).toContainText("lead@example.org");
  // A new link ends the older one, and two mails at once may come in any order.
  await post.next("lead@example.org");
  await bar.getByRole("button", { name: "Send again" }).click();
  await expect(bar).toContainText("A new mail is on its way");
  await page.goto(url + linkIn(await post.next("lead@example.org")));
  await expect(page.getByRole("heading", { name: "Thank you" })).toBeVisible();
  await page.getByRole("link", { name: "Go to your projects" }).click();
  await expect(page.getByTestId("account-avatar")).toBeVisible();
  await expect(bar).toHaveCount(0);

  // They connect their account, with their password.
  await page.goto(`${url}/account`);
  await page.getByRole("button", { name: "Connect Acme" }).click();
  await page.getByLabel("Your password").fill("not my password");
  await page.getByRole("button", { name: "Continue to Acme" }).click();
  await expect(page.getByRole("alert")).toHaveText("Wrong password.");
  await page.getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Continue to Acme" }).click();
  await signInAtAcme(page, "lea");
  await expect(page.getByRole("button", { name: "Disconnect Acme" })).toBeVisible();
  await page.context().clearCookies();

  // Somebody else comes from the provider.
  acme.people.set("ida", {
    email: "ida@acme.example",
    email_verified: true,
    name: "Ida Rhodes",
    preferred_username: "ida",
  });
  await page.goto(`${url}/login?next=${encodeURIComponent(`${url}/account`)}`);
  await page.getByRole("button", { name: "Continue with Acme" }).click();
  await signInAtAcme(page, "ida");
  await expect(page).toHaveURL(`${url}/onboarding`);
  await page.getByRole("button", { name: "Skip" }).click();
  await expect(page.getByTestId("account-avatar")).toBeVisible();
  await page.goto(`${url}/account`);
  await expect(page.getByLabel("Username")).toHaveValue("ida");
  await page.getByRole("button", { name: "Disconnect Acme" }).click();
  await expect(page.getByRole("alert")).toHaveText("Without it you could not sign in any more. Set a password first.");

  // The provider proves who they are, so they may set a password.
  await page.getByRole("button", { name: "Sign in with Acme again" }).click();
  await signInAtAcme(page, "ida");
  await page.getByLabel("New password", { exact: true }).fill("a password of my own");
  await page.getByLabel("New password again").fill("a password of my own");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByLabel("Username or e-mail").fill("ida");
  await page.getByLabel("Password", { exact: true }).fill("a password of my own");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByTestId("account-avatar").click();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await expect(page).toHaveURL(`${url}/login`);

  // An address that has an account already proves nothing.
  acme.people.set("thief", { email: "lead@example.org", email_verified: true });
  await page.getByRole("button", { name: "Continue with Acme" }).click();
  await signInAtAcme(page, "thief");
  await expect(page.getByRole("alert")).toContainText("Acme: There is already an account with your e-mail.");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  // The field before was called the same.
  await expect(page.getByRole("heading", { name: "Forgot your password?" })).toBeVisible();
  await page.getByLabel("Username or e-mail").fill("lead");
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page.getByRole("heading", { name: "Check your e-mail" })).toBeVisible();
  await page.goto(url + linkIn(await post.next("lead@example.org")));
  await expect(page.getByText("who signs in as lead")).toBeVisible();

  // The lead has a second factor: the provider is the first step.
  const login = { username: "lead", password };
  await page.request.post(`${url}/api/v3/auth`, { form: login });
  const begun = await page.request.post(`${url}/api/v3/auth/second_factor/app`, { form: { password } });
  const { key } = (await begun.json()) as { key: string };
  const confirmed = await page.request.post(`${url}/api/v3/auth/second_factor/app/confirm`, {
    form: { code: codeOf(key, stepAt(Date.now())) },
  });
  const { recovery_codes } = (await confirmed.json()) as { recovery_codes: string[] };
  await page.context().clearCookies();
  await page.goto(`${url}/login`);
  await page.getByRole("button", { name: "Continue with Acme" }).click();
  await signInAtAcme(page, "lea");
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(recovery_codes[0] ?? "");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByTestId("account-avatar")).toBeVisible();
});
