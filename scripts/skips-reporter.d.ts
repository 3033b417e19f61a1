/** Names and counts, at the end of a run, the tests that a missing program kept from running. In CI one of them fails the run. */
export class SkipsReporter {
  onTestRunEnd(modules: readonly { children: { allTests(state: 'skipped'): Iterable<{ name: string }> } }[]): void
}
