import { errors, type ErrorCode, placeHeader } from "@miranda/contract/errors.ts";
import type { FastifyError, FastifyInstance } from "fastify";

import { AppError } from "./app-error.ts";

const statuses: Partial<Record<ErrorCode, number>> = {
  body_too_large: 413,
  unsupported_body: 415,
  not_found: 404,
  not_signed_in: 401,
  wrong_credentials: 401,
  wrong_password: 403,
  password_needed: 403,
  username_taken: 409,
  email_taken: 409,
  foreign_origin: 403,
  unknown_host: 421,
  session_only: 403,
  not_admin: 403,
  too_many_attempts: 429,
  too_many_calls: 429,
  too_many_tokens: 409,
  too_many_projects: 409,
  too_many_projects_there: 409,
  project_full: 409,
  too_many_nodes: 413,
  too_many_templates: 409,
  too_many_secrets: 409,
  too_many_project_secrets: 409,
  avatar_not_image: 415,
  avatar_too_large: 413,
  project_not_found: 404,
  graph_not_found: 404,
  node_not_found: 404,
  account_not_found: 404,
  member_not_found: 404,
  project_read_only: 403,
  graph_read_only: 403,
  owner_only: 403,
  move_needs_write: 403,
  already_member: 409,
  owner_is_member: 409,
  last_owner: 409,
  transfer_to_owner: 409,
  already_there: 409,
  clone_needs_private: 403,
  graph_too_large: 413,
  graphml_too_large: 413,
  too_many_imports: 429,
  imports_busy: 503,
  edge_not_found: 404,
  attribute_not_found: 404,
  prefab_not_found: 404,
  blueprint_not_found: 404,
  group_not_found: 404,
  nothing_to_restore: 404,
  node_locked: 409,
  nodes_gone: 404,
  commit_not_found: 404,
  nothing_to_commit: 409,
  nothing_to_restore_code: 409,
  code_changed: 409,
  package_declared: 409,
  packages_unreadable: 409,
  too_much_unsaved: 413,
  code_does_not_parse: 409,
  code_too_long: 413,
  draft_too_large: 413,
  draft_out_of_step: 409,
  format_wrong_code: 409,
  format_failed: 500,
  edge_exists: 409,
  file_too_large: 413,
  too_many_files: 413,
  file_not_found: 404,
  no_update: 409,
  template_read_only: 403,
  job_not_found: 404,
  model_not_found: 404,
  secret_not_found: 404,
  question_closed: 409,
  secret_forbidden: 403,
  run_of_another: 403,
  run_by_another: 403,
  invalid_execution_token: 403,
  out_of_credits: 402,
  trial_ended: 402,
  unknown_command: 404,
  no_processor: 404,
  processor_exists: 409,
  processor_busy: 409,
  nothing_to_interrupt: 409,
  not_paused: 409,
  job_ended: 409,
  events_out_of_order: 409,
  runner_unknown: 401,
  runner_ended: 410,
  runner_busy: 429,
  engine_unavailable: 503,
  not_ready: 503,
  internal: 500,
};

/** The only place that knows status numbers. Answers are plain text, to be shown as they are. */
export function installErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const refusal = asRefusal(error);
    if (refusal) {
      if (refusal.retryAfter !== undefined) void reply.header("retry-after", refusal.retryAfter);
      if (refusal.place) void reply.header(placeHeader, `${refusal.place.node}:${refusal.place.line}`);
      return reply
        .code(statuses[refusal.code] ?? 400)
        .type("text/plain; charset=utf-8")
        .send(refusal.message);
    }
    request.log.error({ err: error }, "request failed");
    // What broke inside is for the log: an answer that told it would tell strangers too.
    return reply.code(500).type("text/plain; charset=utf-8").send(`${errors.internal} (request ${request.id})`);
  });
}

function asRefusal(error: FastifyError | AppError): AppError | undefined {
  if (error instanceof AppError) return error;
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
    case "FST_REQ_FILE_TOO_LARGE":
      return new AppError("body_too_large");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("unsupported_body");
    default:
      // Fastify's own refusals of a malformed request; anything without such a status is a fault of ours.
      return error.statusCode && error.statusCode < 500 ? new AppError("bad_request", error.message) : undefined;
  }
}
