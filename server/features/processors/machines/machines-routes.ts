import { AdminMachines, CloseMachineBody, MachineParams } from "@miranda/contract/schemas/admin/machines.ts";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Machines } from "./machines-service.ts";

const tags = ["administration"];
const config = { adminOnly: true };

export function machineRoutes(app: Http, machines: Machines): void {
  app.get("/api/v3/admin/machines", { config, schema: { tags, response: { 200: AdminMachines } } }, () =>
    machines.list(),
  );

  app.post(
    "/api/v3/admin/machines/:id/close",
    { config, schema: { tags, params: MachineParams, body: CloseMachineBody, response: { 200: AdminMachines } } },
    (request) => machines.close(callerOf(request), request.params.id, request.body.note),
  );

  app.post(
    "/api/v3/admin/machines/:id/open",
    { config, schema: { tags, params: MachineParams, response: { 200: AdminMachines } } },
    (request) => machines.open(callerOf(request), request.params.id),
  );
}
