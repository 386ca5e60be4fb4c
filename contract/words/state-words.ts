/** States of runs, of MLflow's runs and of a run's nodes, as people read them. */
const words: Readonly<Record<string, string>> = {
  running: "Running",
  paused: "Paused",
  done: "Done",
  failed: "Failed",
  error: "Failed",
  stopped: "Stopped",
  crashed: "Crashed",
  lost: "Lost",
  kept: "Kept result",
  skipped: "Skipped",
  waiting: "Waiting",
  idle: "Not reached",
  RUNNING: "Running",
  SCHEDULED: "Scheduled",
  FINISHED: "Finished",
  FAILED: "Failed",
  KILLED: "Stopped",
};

/** A state without words of its own is shown as it is. */
export function stateWords(state: string): string {
  return words[state] ?? state;
}
