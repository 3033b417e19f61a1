import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Value } from '../lib/value.ts'
import { type Deleting, isGone } from './deleting.ts'
import { Deletions } from './deletions.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** @param remove answers for the server; by default it deletes at once */
function start(remove: () => Promise<unknown> = async () => undefined) {
  const [removed, said]: [string[], string[]] = [[], []]
  const list = new Value<readonly Deleting[]>([])
  let settled = 0
  const deletions = new Deletions(list, {
    remove(id) {
      removed.push(id)
      return remove()
    },
    settled: () => settled++,
    say: (text) => said.push(text),
  })
  return { list, deletions, removed, said, count: () => settled }
}
const session = (id: string, versions: readonly string[] = []) => ({ id, title: `Title ${id}`, versions })
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('a session is deleted after ten seconds, and hidden with its versions until then', async () => {
  const { list, deletions, removed, said, count } = start()
  deletions.add(session('a', ['a', 'b']))
  expect(said).toEqual(['Deleted Title a with all its versions. It can be taken back for 10 seconds.'])
  await pass(9_999)
  expect(removed).toEqual([])
  expect(['a', 'b', 'c'].map((id) => isGone(list.get(), id))).toEqual([true, true, false])
  await pass(1)
  expect([removed, count(), list.get()]).toEqual([['a'], 1, []])
})

test('a deletion that was taken back never reaches the server', async () => {
  const { list, deletions, removed, said } = start()
  deletions.add(session('a'))
  deletions.undo('a')
  await pass(60_000)
  expect([removed, list.get(), said.at(-1)]).toEqual([[], [], 'Title a is kept.'])
})

test('time stands still at Undo and leaves at least three seconds after it', async () => {
  const { deletions, removed } = start()
  deletions.add(session('a'))
  await pass(9_000)
  deletions.add(session('b'))
  deletions.hold(true)
  await pass(60_000)
  expect(removed).toEqual([])
  deletions.hold(false)
  await pass(2_999)
  expect(removed).toEqual([])
  await pass(1)
  expect(removed).toEqual(['a', 'b'])
})

test('Undo of one lets the time of the others run on', async () => {
  const { deletions, removed } = start()
  for (const id of ['a', 'b']) deletions.add(session(id))
  deletions.hold(true)
  deletions.undo('a')
  await pass(10_000)
  expect(removed).toEqual(['b'])
})

test('once the server was told, Undo promises nothing and no second request goes out', async () => {
  let answer = (_: unknown) => {}
  const { list, deletions, removed, said } = start(() => new Promise((done) => (answer = done)))
  deletions.add(session('a'))
  await pass(10_000)
  expect(list.get()).toMatchObject([{ id: 'a', isSent: true }])
  deletions.undo('a')
  deletions.hold(true)
  deletions.hold(false)
  await pass(60_000)
  expect([removed, said.length]).toEqual([['a'], 1])
  answer(undefined)
  await pass(0)
  expect(list.get()).toEqual([])
})

test('a refusal is said, and the session is shown again', async () => {
  const { list, deletions, said, count } = start(async () => {
    throw new Error('It runs.')
  })
  deletions.add(session('a'))
  await pass(10_000)
  expect([said.at(-1), list.get(), count()]).toEqual(['Not deleted. It runs.', [], 1])
})
