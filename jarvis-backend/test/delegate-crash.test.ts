import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildRunRow, Entry, EntryOf } from 'protocol'
import { expect, test } from 'vitest'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, eachKill } = killedHouse('delegates')

const lines = (path: string) => {
  try {
    return readFileSync(path, 'utf8').trim().split('\n')
  } catch {
    return []
  }
}

const cases: [dieAt: string, when: string, nth: number][] = [
  ['insert entries subrun written', 'before the child is stored', 1],
  ['insert entries subrun committed', 'when the child has begun', 1],
  ['insert entries confirm_needed committed', 'when the child’s card is shown', 1],
  ['insert entries subrun written', 'before the child’s end is stored', 2],
  ['insert entries subrun committed', 'when the child has ended', 2],
  ['insert entries tool_result written', 'before the result is stored', 2],
  ['insert entries assistant begun', 'when the result is stored', 4],
]

async function approve(server: Life) {
  const [card] = await server.waiting()
  if (card !== undefined) await server.ask(`confirmations/${card.toolUseId}`, { confirmed: true })
}
/** Approves all that is asked, until both runs are over. */
async function ends(server: Life) {
  const [session] = (await server.ask<{ items: { id: string }[] }>('sessions')).items
  const entries = async () => (await server.ask<{ items: Entry[] }>(`sessions/${session?.id}/entries?limit=200`)).items
  const of = async <T extends Entry['type']>(type: T) =>
    (await entries()).filter((entry): entry is EntryOf<T> => entry.type === type)
  const isOver = async () => {
    await approve(server)
    return (await of('done')).length
  }
  await expect.poll(isOver).toBe(2)
  return { session, of }
}

test('killed at any step of a child’s run, it begins once, its call runs once, and its words come back once', async () => {
  const one = await life({ dataDir: newDir() }, { points: [...new Set(cases.map(([dieAt]) => dieAt))] })
  await one.say('Ask another agent to write a line.')
  await ends(one)
  await one.stop()

  await eachKill(cases, async (dieAt, _when, nth) => {
    const { dataDir } = one.at(dieAt, nth)
    const two = await life({ dataDir })
    const { session, of } = await ends(two)
    expect((await of('subrun')).map(({ change }) => change)).toEqual(['begin', 'end'])
    expect(lines(join(dataDir, 'lines'))).toEqual(['a line'])
    const [child] = (await two.ask<{ items: ChildRunRow[] }>(`sessions/${session?.id}/children`)).items
    expect(child).toMatchObject({ state: 'done', summary: 'The line stands.' })
    const results = (await of('tool_result')).filter(({ toolUseId }) => toolUseId === child?.toolUseId)
    expect(results).toMatchObject([{ isError: false, result: expect.stringContaining('The line stands.') }])
    const last = (await of('assistant')).at(-1)
    expect(JSON.stringify(last?.content)).toContain('The line stands.')
    expect(await two.ask('journal/verify')).toMatchObject({ ok: true })
  })
})
