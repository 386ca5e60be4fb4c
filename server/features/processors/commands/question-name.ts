import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";

/** The public name of a question. It contains the session, so that sessions cannot be mixed up. */
export function questionName(jobId: string, question: number): string {
  return `${jobId}.${question}`;
}

interface Asked {
  question: number;
  prompt: string;
  hidden: boolean;
  node: number | null;
}

/** A question as it is published. */
export function toQuestion(
  { jobId, graphId }: { jobId: string; graphId: string },
  { question, prompt, hidden, node }: Asked,
): AskForPasswordEvent {
  const name = questionName(jobId, question);
  return { project_id: graphId, passwd_prompt: prompt, question: name, hidden, wob_key: node };
}
