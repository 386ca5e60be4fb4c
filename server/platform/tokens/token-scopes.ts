import { AppError } from "../errors/app-error.ts";

/** `all`: what tokens could do before they had scopes. */
type TokenScope = "all" | "read" | "run" | "write";

/** An access token, as the account that made it limited it. */
export interface CallersToken {
  name: string;
  scope: TokenScope;
}

/** What a route asks of a token. */
export type TokenNeed = Exclude<TokenScope, "all">;

interface Route {
  method: string;
  url: string;
  /** Where it is not what the method says. */
  tokenNeeds?: TokenNeed | undefined;
}

const includes: Record<TokenNeed, readonly TokenNeed[]> = {
  read: ["read"],
  run: ["read", "run"],
  write: ["read", "run", "write"],
};

/** Tells a program whose token it has. */
const isWhoAmI = ({ method, url }: Route): boolean => isReading(method) && /^\/api\/v3\/auth\/?$/.test(url);

/** The account itself, its tokens, and administration: for people who sign in. */
const forPeople = /^\/api\/v3\/(auth|admin|accounts\/notification-settings|billing\/budget)(\/|$)/;

/** Who has access, who owns and who pays: programs may read it, people decide it. */
const decidedByPeople =
  /^\/api\/v3\/(projects\/:\w+\/(members|teams|invitations|transfer|purse|budgets|billing\/budget)|teams|invitations)(\/|$)/;

/** Starts runs, answers and ends them: sessions of workflows, calls of deployments. */
const running: readonly RegExp[] = [
  /^\/api\/v3\/graphs\/:graphId\/(processor|run-check)(\/|$)/,
  /^\/api\/v3\/jobs\/:id\/(keep|cancel)$/,
  /^\/api\/v3\/runs\/:runId\/budget$/,
  /^\/api\/v3\/deployments\/:name\/runs(\/|$)/,
  /^\/mcp$/,
];

/**
 * Routes that read and change what belongs to one project. Each of them asks `accessFor`, or `mayUse` for deployments, which
 * know the project of the token. A token of one project can call no other route, so a new route is closed to it until it
 * is listed here. `token-scopes.test.ts` calls every route.
 */
const ofProjects: readonly RegExp[] = [
  /^\/api\/v3\/projects\/:/,
  /^\/api\/v3\/graphs(\/:|\/files$|$)/,
  /^\/api\/v3\/objects(\/:|\/edges$|$)/,
  /^\/api\/v3\/(compute_policies|storage_policies|designer|jobs|models)\/:/,
  /^\/api\/v3\/runs(\/:|$)/,
  /^\/api\/v3\/deployments(\/:|$)/,
  /^\/api\/v3\/(settings|library\/pictures\/:key)$/,
  /^\/mlflow\/:projectId\//,
  /^\/mcp$/,
];

/** Lists that contain only the token's project. */
const isListOfProjects = ({ method, url }: Route): boolean =>
  isReading(method) && /^\/api\/v3\/projects(\/shared)?\/?$/.test(url);

const isReading = (method: string): boolean => method === "GET" || method === "HEAD";

/** Throws when a token may not call a route. */
export function checkTokenScope(route: Route, { scope }: CallersToken, onlyProject: string | null): void {
  if (scope === "all" || isWhoAmI(route)) return;
  const isDecision = !isReading(route.method) && decidedByPeople.test(route.url);
  if (isDecision || forPeople.test(route.url)) throw new AppError("session_only");
  const need = needOf(route);
  if (!includes[scope].includes(need)) throw new AppError("token_too_weak", wordsOf[need]);
  if (onlyProject === null || isListOfProjects(route)) return;
  if (!ofProjects.some((pattern) => pattern.test(route.url))) throw new AppError("token_one_project");
}

function needOf({ method, url, tokenNeeds }: Route): TokenNeed {
  if (tokenNeeds !== undefined) return tokenNeeds;
  if (isReading(method)) return "read";
  return running.some((pattern) => pattern.test(url)) ? "run" : "write";
}

const wordsOf: Record<TokenNeed, string> = {
  read: "This token may not read this.",
  run: "This token may only read. Use a token that may run.",
  write: "This token may not change anything. Use a token that may write.",
};
