import { call } from "../http.ts";

export async function forgotPassword(username: string): Promise<void> {
  await call("/api/v3/auth/password/forgot", { method: "POST", fields: { username } });
}

export async function confirmEmail(token: string): Promise<void> {
  await call("/api/v3/auth/email/confirm", { method: "POST", fields: { token } });
}

export async function sendConfirmation(): Promise<void> {
  await call("/api/v3/auth/email/send", { method: "POST" });
}
