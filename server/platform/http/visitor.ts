import type { FastifyRequest } from "fastify";

import { networkOf } from "./network-of.ts";

/** Where a request comes from. */
export interface Visitor {
  address: string;
  userAgent: string;
}

export function visitorOf(request: FastifyRequest): Visitor {
  return { address: networkOf(request.ip), userAgent: request.headers["user-agent"] ?? "" };
}
