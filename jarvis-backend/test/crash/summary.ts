import type { Report } from './experiment.ts'

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0)

/** Whether all held. */
export const isClean = ({ doubles, lostDecisions, lostCards, lostMessages, violations }: Report): boolean =>
  [doubles, lostDecisions, lostCards, lostMessages, violations].every(({ length }) => length === 0)

export function summaryOf(report: Report): string {
  const { kills, interrupted, violations } = report
  const settledAs = (how: string) => interrupted.filter(({ settled }) => settled === how)
  const unknown = settledAs('unknown')
  const isBroken = violations.some((text) => text.includes('chain breaks'))
  const listed = (name: 'doubles' | 'lostDecisions' | 'lostCards' | 'lostMessages' | 'violations') =>
    report[name].map((text) => `  ${name}: ${text}`)
  return [
    ...[...kills].map(([step, count]) => `  ${String(count).padStart(4)} × ${step}`),
    `kills           ${sum(kills.values())}`,
    `calls           ${report.calls}, of which ${report.requests} reached the cluster`,
    `doubles         ${report.doubles.length}`,
    `lost decisions  ${report.lostDecisions.length}`,
    `lost cards      ${report.lostCards.length}`,
    `lost messages   ${report.lostMessages.length}`,
    `interrupted     ${interrupted.length}: settled as done ${settledAs('done').length}, as failed ${settledAs('failed').length}, told as unknown ${unknown.length} (${unknown.filter(({ hadRun }) => hadRun).length} of them had run)`,
    `journal         ${report.journalEntries} entries, the chain ${isBroken ? 'is BROKEN' : 'holds'}`,
    `other faults    ${violations.length}`,
    ...listed('doubles'),
    ...listed('lostDecisions'),
    ...listed('lostCards'),
    ...listed('lostMessages'),
    ...listed('violations'),
  ].join('\n')
}
