import { useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";

import type { ExceptionInfo } from "@miranda/contract/schemas/processors.ts";

import { openSample, sampleAddress, samplesQuery } from "../../api/samples.ts";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";

/** When the packages of a sample could not be installed: offers the sample that needs none. */
export function OfferPlainSample({ exception }: { exception: ExceptionInfo }) {
  const { graphId } = useProcessor();
  const navigate = useNavigate();
  const [isBusy, setIsBusy] = useState(false);
  const isAboutPackages = /^PackageError: /m.test(exception.traceback);
  const { data: samples = [] } = useQuery({ ...samplesQuery, enabled: isAboutPackages });
  const isSample = samples.some(({ graph_id, sample }) => graph_id === graphId && sample !== "waste-water");
  if (!isAboutPackages || !isSample) return null;
  const open = async () => {
    setIsBusy(true);
    try {
      await navigate(sampleAddress(await openSample("waste-water")));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button size="sm" variant="primary" busy={isBusy} onClick={() => toastFailure(open())}>
      Open the sample that needs no packages
      <ArrowRight className="size-3.5" aria-hidden="true" />
    </Button>
  );
}
