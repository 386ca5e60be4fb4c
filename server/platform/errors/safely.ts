/** Where faults are reported that no request is waiting for. */
let report = (error: unknown): void => {
  const { name, message, stack } =
    error instanceof Error ? error : { name: "Error", message: String(error), stack: "" };
  const line = { level: 50, time: Date.now(), pid: process.pid, err: { type: name, message, stack } };
  process.stderr.write(`${JSON.stringify({ ...line, msg: "a listener failed" })}\n`);
};

/** For an event that another listener acts on, such as the error of a child whose exit is awaited. */
export const ignore = (): void => undefined;

/** Reports them elsewhere: a server has a log. */
export function reportFaultsTo(log: (error: unknown) => void): void {
  report = log;
}

/** For what ended with nobody waiting for it. */
export function reportFault(error: unknown): void {
  report(error);
}

/**
 * For every listener of a process, socket, stream, timer or thread, and every callback of a library. Nobody catches what
 * these throw: one wrong line of a child would end the server for everybody. Here it is reported, and `failed` ends the one
 * request, child or connection that it was about.
 */
export function safely<Given extends unknown[]>(
  listener: (...given: Given) => unknown,
  failed?: (error: unknown, ...given: Given) => void,
): (...given: Given) => void {
  const fault = (error: unknown, given: Given): void => {
    try {
      report(error);
      failed?.(error, ...given);
    } catch {
      // Nothing is left to try.
    }
  };
  return (...given) => {
    try {
      const result = listener(...given);
      if (result instanceof Promise) result.catch((error: unknown) => fault(error, given));
    } catch (error) {
      fault(error, given);
    }
  };
}
