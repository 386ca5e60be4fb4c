import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";

/** What people's answers call a question: one of another session is another one. */
export function questionName(jobId: string, question: number): string {
  return `${jobId}.${question}`;
}

interface Asked {
  question: number;
  prompt: string;
  hidden: boolean;
  node: number | null;
}

/** A question as people are told of it. */
export function toQuestion(
  { jobId, graphId }: { jobId: string; graphId: string },
  { question, prompt, hidden, node }: Asked,
): AskForPasswordEvent {
  const name = questionName(jobId, question);
  return { project_id: graphId, passwd_prompt: prompt, question: name, hidden, wob_key: node };
}
