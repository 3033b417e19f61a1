import type { Report } from './experiment.ts'
import { findingKinds } from './findings.ts'

/** True if all held. */
export const isClean = (report: Report): boolean => findingKinds.every((kind) => report[kind].length === 0)

export function summaryOf(report: Report): string {
  const { kills, interrupted } = report
  const settledAs = (how: string) => interrupted.filter(({ settled }) => settled === how).length
  const unknownRan = interrupted.filter(({ settled, hadRun }) => settled === 'unknown' && hadRun).length
  const isBroken = report.faults.some((text) => /chain breaks|journal broken/.test(text))
  const rows: [string, string | number][] = [
    ['kills', [...kills.values()].reduce((sum, count) => sum + count, 0)],
    ['calls', `${report.calls}, ${report.requests} requests reached the cluster`],
    ['doubles', report.doubles.length],
    ['lost decisions', report.lostDecisions.length],
    ['lost cards', report.lostCards.length],
    ['lost messages', report.lostMessages.length],
    ['interrupted', interrupted.length],
    ['  settled as done', settledAs('done')],
    ['  settled as failed', settledAs('failed')],
    ['  unknown', `${settledAs('unknown')}, ${unknownRan} of which had run`],
    ['  found out later', `${report.foundLater}, at a second look`],
    ['journal', `${report.journalEntries} entries, the chain ${isBroken ? 'is BROKEN' : 'holds'}`],
    ['other faults', report.faults.length],
  ]
  return [
    ...[...kills].map(([step, count]) => `${String(count).padStart(4)} × ${step}`),
    ...rows.map(([name, value]) => `${name.padEnd(20)} ${value}`),
    ...findingKinds.flatMap((kind) => report[kind].map((text) => `${kind}: ${text}`)),
  ].join('\n')
}
