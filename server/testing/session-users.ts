// The kernel counts processes by account. Tests that run side by side must not use up each other's.
const first = 1_879_200_000 + Number(process.env["VITEST_POOL_ID"] ?? 0) * 1_000;

/** The accounts for sessions of this test process. */
export const ownSessionUsers = { first, last: first + 999 };
