import { expect, test } from 'vitest'
import { GuestRow } from '../pve/answers.ts'
import { createRates } from './rates.ts'

test('rates come of counters that moved; what is not counted is unknown, and a restart begins anew', () => {
  const rates = createRates()
  const look = (at: number, counts: object) => {
    rates.learn([GuestRow.parse({ type: 'qemu', vmid: 101, node: 'pve', ...counts })], at)
    return rates.of(101)
  }
  expect(look(0, { netin: 0, netout: 0 })).toEqual({})
  expect(look(10_000, { netin: 1_000, netout: 500 })).toEqual({ inBps: 100, outBps: 50 })
  expect(look(20_000, { netin: 1_000, netout: 500, diskread: 0, diskwrite: 0 })).toEqual({ inBps: 100, outBps: 50 })
  const moved = { netin: 1_000, netout: 500, diskread: 4_000, diskwrite: 2_000 }
  expect(look(30_000, moved)).toEqual({ inBps: 100, outBps: 50, diskBps: 600 })
  // Counters that stand still for 10 s keep the rate, and for 30 s make it 0.
  expect(look(60_000, moved)).toEqual({ inBps: 0, outBps: 0, diskBps: 0 })
  expect(look(70_000, { netin: 1, netout: 1, diskread: 1, diskwrite: 1 })).toEqual({})
})
