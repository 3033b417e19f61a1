import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { systemClock } from 'node-kit/clock'
import { runInCell } from 'sandbox/run'
import type { Row } from './rows.ts'
import { median } from './statistics.ts'

const starts = 15

/**
 * The sandbox's cost of a command: `true` by bash under all its limits, beside bash alone. Wall time, because most of the work is the kernel's for
 * other processes.
 */
export const sandboxRow: Row = {
  name: 'sandbox',
  lines: [{ title: 'true in the sandbox, from start to end, ms p50' }],
  ours: () => medianOf(confined),
  base: { name: 'bare', isGoal: false, measure: () => medianOf(bare) },
}

async function medianOf(work: () => Promise<void>): Promise<number[]> {
  const took: number[] = []
  for (let at = 0; at < starts; at += 1) {
    const since = performance.now()
    await work()
    took.push(performance.now() - since)
  }
  return [median(took)]
}

async function confined(): Promise<void> {
  const end = await runInCell({ binds: [], cwd: '/tmp' }, 'true', { clock: systemClock, timeoutMs: 20_000 }).ended
  if (end.kind !== 'ended' || end.exitCode !== 0)
    throw new Error(`The sandbox did not run true: ${JSON.stringify(end)}`)
}

async function bare(): Promise<void> {
  const child = spawn('/bin/bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'close')
}
