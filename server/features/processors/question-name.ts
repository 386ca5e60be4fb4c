/** What people's answers call a question: one of another session is another one. */
export function questionName(jobId: string, question: number): string {
  return `${jobId}.${question}`;
}
