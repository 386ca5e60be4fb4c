/** Does a chore of the housekeeping to its end, without the pauses. */
export async function finishChore(batches: AsyncGenerator<void>): Promise<void> {
  while (!(await batches.next()).done);
}
