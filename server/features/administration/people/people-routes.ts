import { NewPerson, PasswordLink, PeopleQuery, Person, PersonPatch } from "@miranda/contract/schemas/account/people.ts";
import { NewPersonBody } from "@miranda/contract/schemas/auth.ts";
import { IdParams } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { withTotal } from "../../../platform/http/list-total.ts";
import type { People } from "./people-service.ts";

const tags = ["administration"];
const reading = { adminOnly: true };
/** Only in a signed-in browser: a stolen token must not give away accounts. */
const changing = { adminOnly: true, sessionOnly: true };
const path = "/api/v3/admin/people";

export function peopleRoutes(app: Http, people: People): void {
  app.get(
    path,
    { config: reading, schema: { tags, querystring: PeopleQuery, response: { 200: z.array(Person) } } },
    async (request, reply) => withTotal(reply, await people.list(request.query)),
  );

  app.post(path, { config: changing, schema: { tags, body: NewPersonBody, response: { 200: NewPerson } } }, (request) =>
    people.create(callerOf(request), request.body),
  );

  app.get(
    `${path}/:id`,
    { config: reading, schema: { tags, params: IdParams, response: { 200: Person } } },
    (request) => people.getPerson(request.params.id),
  );

  app.patch(
    `${path}/:id`,
    { config: changing, schema: { tags, params: IdParams, body: PersonPatch, response: { 200: Person } } },
    (request) => people.change(callerOf(request), request.params.id, request.body),
  );

  app.post(
    `${path}/:id/password-link`,
    { config: changing, schema: { tags, params: IdParams, response: { 200: PasswordLink } } },
    (request) => people.makePasswordLink(callerOf(request), request.params.id),
  );

  app.post(
    `${path}/:id/sign-out`,
    { config: changing, schema: { tags, params: IdParams, response: { 200: z.object({ browsers: z.number() }) } } },
    async (request) => ({ browsers: await people.signOut(callerOf(request), request.params.id) }),
  );
}
