import type { Alert, Severity } from 'protocol'
import { needsLook } from '../../api/alerts.ts'
import type { MarkKind } from '../../ui/mark.tsx'

export const severityMark: Record<Severity, MarkKind> = { failed: 'bad', look: 'warn', info: 'step' }

/** Returns the worst mark and the number of alerts that need a look; undefined if there are none. */
export function worstOf(items: readonly Alert[]): { mark: MarkKind; count: number } | undefined {
  const open = items.filter(needsLook)
  const [worst] = (['failed', 'look'] as const).filter((known) => open.some((alert) => alert.severity === known))
  return worst && { mark: severityMark[worst], count: open.length }
}
