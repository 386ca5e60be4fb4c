import {
  ReplyBody,
  CommentMarks,
  CommentPage,
  CommentsQuery,
  CommentThread,
  CommentThreadPage,
  CommentThreadsQuery,
  EditCommentBody,
  MentionList,
  MentionQuery,
  NewThreadBody,
  ResolveBody,
  SentComment,
} from "@miranda/contract/schemas/comments/comments.ts";
import { IdParams } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Comments } from "./comments-service.ts";

const tags = ["comments"];
const params = IdParams;

export function commentRoutes(app: Http, comments: Comments): void {
  app.get(
    "/api/v3/graphs/:id/comments",
    { schema: { tags, params, querystring: CommentThreadsQuery, response: { 200: CommentThreadPage } } },
    (request) => comments.list(callerOf(request), request.params.id, request.query),
  );

  app.post(
    "/api/v3/graphs/:id/comments",
    { schema: { tags, params, body: NewThreadBody, response: { 200: SentComment } } },
    (request) => comments.add(callerOf(request), request.params.id, request.body),
  );

  app.get(
    "/api/v3/graphs/:id/comments/marks",
    { config: { revalidated: true }, schema: { tags, params, response: { 200: CommentMarks } } },
    (request) => comments.marks(callerOf(request), request.params.id),
  );

  app.get(
    "/api/v3/graphs/:id/comments/people",
    { schema: { tags, params, querystring: MentionQuery, response: { 200: MentionList } } },
    (request) => comments.people(callerOf(request), request.params.id, request.query.query),
  );

  app.get("/api/v3/comment-threads/:id", { schema: { tags, params, response: { 200: CommentThread } } }, (request) =>
    comments.read(callerOf(request), request.params.id),
  );

  app.get(
    "/api/v3/comment-threads/:id/comments",
    { schema: { tags, params, querystring: CommentsQuery, response: { 200: CommentPage } } },
    (request) => comments.comments(callerOf(request), request.params.id, request.query),
  );

  app.post(
    "/api/v3/comment-threads/:id/comments",
    { schema: { tags, params, body: ReplyBody, response: { 200: SentComment } } },
    (request) => comments.reply(callerOf(request), request.params.id, request.body),
  );

  app.put(
    "/api/v3/comment-threads/:id/resolved",
    { schema: { tags, params, body: ResolveBody, response: { 200: CommentThread } } },
    (request) => comments.resolve(callerOf(request), request.params.id, request.body.resolved),
  );

  app.patch(
    "/api/v3/comments/:id",
    { schema: { tags, params, body: EditCommentBody, response: { 200: SentComment } } },
    (request) => comments.edit(callerOf(request), request.params.id, request.body.body),
  );

  app.delete("/api/v3/comments/:id", { schema: { tags, params, response: { 200: z.object({}) } } }, async (request) => {
    await comments.remove(callerOf(request), request.params.id);
    return {};
  });
}
