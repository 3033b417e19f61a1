import type { SessionSummary } from 'protocol'
import { expect, test } from 'vitest'
import { byDay } from './by-day.ts'

const at = (year: number, month: number, day: number, hour = 12) => new Date(year, month - 1, day, hour).getTime()
const session = (updatedAt: number) => ({ id: String(updatedAt), updatedAt }) as SessionSummary

test('sessions stand under their day, by the calendar and not by hours', () => {
  const now = at(2026, 3, 1, 1)
  const times = [at(2026, 3, 1, 0), at(2026, 2, 28, 23), at(2026, 2, 28, 0), at(2026, 2, 27), at(2025, 12, 31)]
  const lines = byDay(times.map(session), now)
  expect(lines.map((line) => (line.kind === 'day' ? line.day : '-'))).toEqual([
    'Today',
    '-',
    'Yesterday',
    '-',
    '-',
    'Fri 27 Feb',
    '-',
    'Wed 31 Dec 2025',
    '-',
  ])
})
