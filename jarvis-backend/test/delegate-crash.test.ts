import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ChildRunRow, Entry, EntryOf } from '../src/protocol/index.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, killedLife } = killedHouse('delegates')

const lines = (path: string) => {
  try {
    return readFileSync(path, 'utf8').trim().split('\n')
  } catch {
    return []
  }
}

test.each<[when: string, dieAt: string, nth: number]>([
  ['before the child is stored', 'insert entries subrun written', 1],
  ['when the child has begun', 'insert entries subrun committed', 1],
  ['when the child’s card is shown', 'insert entries confirm_needed committed', 1],
  ['before the child’s end is stored', 'insert entries subrun written', 2],
  ['when the child has ended', 'insert entries subrun committed', 2],
  ['before the result is stored', 'insert entries tool_result written', 2],
  ['when the result is stored', 'insert entries assistant begun', 4],
])(
  'killed %s, the child begins once, its call runs once, and its words come back once',
  async (_when, dieAt, nth) => {
    const dataDir = newDir()
    const one = await killedLife({ dataDir, dieAt, nth })
    await one.say('Ask another agent to write a line.')
    const approve = async (server: Life) => {
      const [card] = await server.waiting().catch(() => [])
      if (card === undefined) return false
      await server.ask(`confirmations/${card.toolUseId}`, { confirmed: true }).catch(() => {})
      return true
    }
    await expect.poll(async () => one.hasEnded() || (await approve(one)), { timeout: 30_000 }).toBe(true)
    await one.ended

    const two = await life({ dataDir })
    const [session] = (await two.ask<{ items: { id: string }[] }>('sessions')).items
    const entries = async () => (await two.ask<{ items: Entry[] }>(`sessions/${session?.id}/entries?limit=200`)).items
    const of = async <T extends Entry['type']>(type: T) =>
      (await entries()).filter((entry): entry is EntryOf<T> => entry.type === type)
    const isOver = async () => {
      await approve(two)
      return (await of('done')).length
    }
    await expect.poll(isOver, { timeout: 30_000 }).toBe(2)

    expect((await of('subrun')).map(({ change }) => change)).toEqual(['begin', 'end'])
    expect(lines(join(dataDir, 'lines'))).toEqual(['a line'])
    const [child] = (await two.ask<{ items: ChildRunRow[] }>(`sessions/${session?.id}/children`)).items
    expect(child).toMatchObject({ state: 'done', summary: 'The line stands.' })
    const results = (await of('tool_result')).filter(({ toolUseId }) => toolUseId === child?.toolUseId)
    expect(results).toMatchObject([{ isError: false, result: expect.stringContaining('The line stands.') }])
    const last = (await of('assistant')).at(-1)
    expect(JSON.stringify(last?.content)).toContain('The line stands.')
    expect(await two.ask('journal/verify')).toMatchObject({ ok: true })
  },
  90_000,
)
