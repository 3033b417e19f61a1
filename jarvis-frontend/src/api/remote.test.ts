import { ApiError } from 'protocol/client'
import { afterEach, expect, test, vi } from 'vitest'
import { forgetAll, forgetUnused, Remote, remoteOf, renewAll } from './remote.ts'

afterEach(() => {
  forgetAll()
  vi.useRealTimers()
})

const settled = () => new Promise((resolve) => setImmediate(resolve))
let made = 0
/** A server that answers when the test says so. */
function server(on?: string[]) {
  const answers: { give: (text: string) => void; refuse: (problem: ApiError) => void }[] = []
  const read = () => new Promise<string>((give, refuse) => answers.push({ give, refuse }))
  const answer = (text: string) => {
    answers.shift()?.give(text)
    return settled()
  }
  const refuse = (code: ApiError['code']) => {
    answers.shift()?.refuse(new ApiError(code, 'No.'))
    return settled()
  }
  return { remote: new Remote(`list ${made++}`, read, on), read, answers, answer, refuse }
}

test('it is read on first use, not before', async () => {
  const { remote, answers, answer } = server([])
  remote.renew()
  expect(answers).toHaveLength(0)
  remote.want()
  remote.want()
  expect(answers).toHaveLength(1)
  await answer('a')
  expect(remote.value.get()).toBe('a')
  remote.want()
  expect(answers).toHaveLength(0)
})

test('a change while it is read is read after it, and many in a row cost one read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const { remote, answers, answer } = server(['jobs'])
  remote.want()
  renewAll('jobs')
  remote.renew()
  expect(answers).toHaveLength(1)
  await answer('old')
  expect([remote.value.get(), answers.length]).toEqual(['old', 0])
  renewAll('jobs')
  vi.advanceTimersByTime(300)
  expect(answers).toHaveLength(1)
  await answer('new')
  expect(remote.value.get()).toBe('new')
  expect(answers).toHaveLength(0)
})

test('components share one read, and a reported change is read once for all of them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const { remote, read, answers, answer } = server()
  remote.use(read, ['connect'])
  remote.use(read, ['connect', 'jobs'])
  expect(answers).toHaveLength(1)
  await answer('a')
  remote.use(read, [])
  vi.advanceTimersByTime(1_000)
  renewAll('alerts')
  expect(answers).toHaveLength(0)
  renewAll('jobs')
  expect(answers).toHaveLength(1)
  await answer('b')
  expect(answers).toHaveLength(0)
})

test('a return shows the last answer and reads it again, and nothing is read for a page that was left', async () => {
  const { remote, read, answers, answer, refuse } = server()
  const leave = remote.use(read, ['jobs'])
  await answer('a')
  remote.renew()
  await refuse('internal')
  expect(remote.problem.get()?.code).toBe('internal')
  leave()
  renewAll('jobs')
  expect(answers).toHaveLength(0)
  remote.use(read, ['jobs'])
  expect([remote.value.get(), remote.problem.get(), answers.length]).toEqual(['a', undefined, 1])
})

test('the answer to a change is shown, and an older answer does not replace it', async () => {
  const { remote, read, answers, answer } = server()
  remote.use(read, [])
  remote.put('changed')
  await answer('from before the change')
  expect([remote.value.get(), answers.length]).toEqual(['changed', 1])
  await answer('from after the change')
  expect(remote.value.get()).toBe('from after the change')
})

test('while the server is unreachable it is read again every 5 s; another problem of a page waits for the person', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const [page, list] = [server(), server([])]
  page.remote.use(page.read, [])
  list.remote.want()
  await page.refuse('unreachable')
  await list.refuse('internal')
  expect(page.remote.problem.get()?.code).toBe('unreachable')
  vi.advanceTimersByTime(5_000)
  // A list has no button, so only a refusal ends its attempts.
  expect([page.answers.length, list.answers.length]).toEqual([1, 1])
  await page.refuse('internal')
  await list.refuse('forbidden')
  vi.advanceTimersByTime(60_000)
  expect([page.answers.length, list.answers.length]).toEqual([0, 0])
})

test('what a person has read is forgotten when the person leaves, and a late answer is dropped', async () => {
  const shown = server()
  shown.remote.use(shown.read, ['connect'])
  await shown.answer('theirs')
  const late = server([])
  late.remote.want()
  forgetAll()
  await late.answer('theirs')
  expect([shown.remote.value.get(), late.remote.value.get()]).toEqual([undefined, undefined])
  // The next person does not wait for the answer that the last one waits for.
  late.remote.want()
  expect(late.answers).toHaveLength(1)
})

test('with fewer rights, only what stands on the page stays until the server answers', async () => {
  const [shown, left] = [server(), server()]
  shown.remote.use(shown.read, [])
  await shown.answer('shown')
  const leave = left.remote.use(left.read, [])
  await left.answer('left')
  leave()
  forgetUnused()
  expect([shown.remote.value.get(), left.remote.value.get()]).toEqual(['shown', undefined])
})

test('a key stands for one thing of the dashboard, and the least recently left are removed', async () => {
  const read = async () => 'a'
  const visit = (key: string) => remoteOf(key, read).use(read, [])
  const first = remoteOf('page 0', read)
  expect(remoteOf('page 0', read)).toBe(first)
  const kept = new Remote('a list', read, [])
  visit('page 0')()
  await settled()
  for (let page = 1; page <= 40; page++) visit(`page ${page}`)()
  expect(remoteOf('page 40', read)).toBe(remoteOf('page 40', read))
  expect(remoteOf('page 0', read)).not.toBe(first)
  expect(remoteOf('a list', read)).toBe(kept)
})
