import { expect, it } from "vitest";

import { readTrackingLink } from "./tracking-link.ts";

const project = "018f0000-0000-7000-8000-000000000001";
const experiments = `/designer/projects/${project}/experiments`;

it.for([
  ["#/experiments/3", { address: `${experiments}/3` }],
  [
    "#/experiments/3/runs/018f000000007000800000000000000a",
    {
      address: `${experiments}/3/runs/018f000000007000800000000000000a`,
      runId: "018f0000-0000-7000-8000-00000000000a",
    },
  ],
  [
    "#/experiments/3/runs/018f000000007000800000000000000a/model-metrics?x=1",
    expect.objectContaining({ runId: expect.any(String) as string }),
  ],
  ["#/experiments/3/runs/javascript:alert(1)", { address: `${experiments}/3` }],
  ["#/experiments/3/models/m-018f000000007000800000000000000a", { address: `${experiments}/3` }],
  ["#/experiments/https:", { address: experiments }],
  ["#//evil.example/x", { address: experiments }],
  ["#/models/iris/versions/1", { address: "/designer/models" }],
  ["", { address: experiments }],
] as const)("%s leads to our page", ([hash, expected]) => {
  expect(readTrackingLink(project, hash)).toEqual(expected);
});
