import { expect } from 'vitest'
import { kindsIn } from '../crash/evidence.ts'
import type { StartOf } from '../crash/servers.ts'
import { killedHouse, type Life } from './killed-house.ts'

/** The houses whose lives need a data dir only. */
export type Plain = 'jobs' | 'v1' | 'delegates'
/** `nth`: which time the point is reached, from 1. */
export type Point = [dieAt: string, nth?: number]

/**
 * Holds that the copies of one life are what SIGKILLs at the same points leave, in a process of its own each.
 * @param works what a person asks of a life, which may end before it answers
 */
export async function expectCopiesAsKills(
  name: Plain,
  points: readonly Point[],
  works: (one: Life) => Promise<unknown>,
) {
  const { newDir, life, killedLife, eachKill } = killedHouse(name)
  const start = (): StartOf<Plain> => ({ dataDir: newDir() })
  const first = await life(start(), { points: points.map(([dieAt]) => dieAt) })
  await works(first)
  const copies = () => points.map(([dieAt, nth]) => first.at(dieAt, nth).dataDir)
  await expect.poll(copies).toHaveLength(points.length)
  await first.stop()
  await eachKill<Point>(points, async (dieAt, nth = 1) => {
    const dying = start()
    const one = await killedLife({ ...dying, dieAt, nth })
    await works(one).catch(() => undefined)
    expect(await one.ended).toBe('SIGKILL')
    expect(kindsIn(first.at(dieAt, nth).dataDir)).toEqual(kindsIn(dying.dataDir))
  })
}

/** Runs a job that makes one call. */
export async function runsJob(one: Life) {
  const work = { kind: 'call', toolName: 'note_down', toolInput: {} }
  const { id } = await one.ask<{ id: string }>('jobs', {
    name: 'notes',
    work,
    schedule: { kind: 'interval', minutes: 600 },
  })
  await one.ask(`jobs/${id}/run`, {})
}

/** Approves the next card. */
export async function approves(one: Life) {
  const isGone = () => one.waiting().catch(() => 'gone')
  await expect.poll(isGone).not.toEqual([])
  const [card] = await one.waiting()
  await one.ask(`confirmations/${card?.toolUseId}`, { confirmed: true })
}
