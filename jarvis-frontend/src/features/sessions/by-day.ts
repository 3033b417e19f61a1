import type { SessionSummary } from 'protocol'
import { dateOf } from '../../lib/format.ts'

export type Line = { kind: 'day'; key: string; day: string } | { kind: 'session'; key: string; session: SessionSummary }

const startOfDay = (at: number) => new Date(at).setHours(0, 0, 0, 0)

/** Groups sessions by day, newest first. */
export function byDay(sessions: readonly SessionSummary[], now: number): Line[] {
  const today = startOfDay(now)
  const yesterday = startOfDay(today - 1)
  const nameOf = (at: number) => {
    if (at >= today) return 'Today'
    if (at >= yesterday) return 'Yesterday'
    return dateOf(at, now)
  }
  let before = ''
  return sessions.flatMap((session): Line[] => {
    const line = { kind: 'session', key: session.id, session } as const
    const day = nameOf(session.updatedAt)
    if (day === before) return [line]
    before = day
    return [{ kind: 'day', key: `day ${day}`, day }, line]
  })
}
