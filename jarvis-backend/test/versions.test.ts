import type { Entry, JournalEntry, Page, SessionSummary, SessionsPage, Versions } from 'protocol'
import { expect, test } from 'vitest'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** A person's acts with sessions, over REST and a socket. */
async function person(jarvis: TestJarvis) {
  const screen = await jarvis.connect()
  const read = async <T>(path: string, init?: Parameters<TestJarvis['rest']>[1]): Promise<T> => {
    const response = await jarvis.rest(path, init)
    expect(response.ok, `${path} ${response.status}`).toBe(true)
    return (await response.json()) as T
  }
  const entries = async (id: string) => (await read<Page<Entry>>(`/api/sessions/${id}/entries`)).items
  const say = async (message: string, sessionId?: string) => {
    const sent = await screen.ask('chat:send', { message, ...(sessionId && { sessionId }) })
    await screen.next('chat:done')
    return sent.sessionId
  }
  return {
    screen,
    read,
    entries,
    say,
    /** Another version of the last message of a session: edited, or asked again as it is. */
    async again(id: string, message?: string) {
      const asked = (await entries(id)).findLast((entry) => entry.type === 'user')
      const json = { before: asked?.seq }
      const made = await read<SessionSummary>(`/api/sessions/${id}/branch`, { method: 'POST', json })
      await say(message ?? asked?.text ?? '', made.id)
      return made.id
    },
    list: async (query = '') => (await read<SessionsPage>(`/api/sessions${query}`)).items,
    versions: async (id: string) => (await read<Page<Versions>>(`/api/sessions/${id}/versions`)).items,
  }
}

test('an edited and a retried message are versions in one row, found by the words of each', async () => {
  const model = scripted(...['One.', 'Two.', 'Three, of zebras.', 'Four.'].map((text) => says(text, { usage })))
  const jarvis = await startJarvis({ model })
  const { say, again, list, versions, entries, read } = await person(jarvis)
  const first = await say('How is pve?')
  await say('And the walrus?', first)
  const edited = await again(first, 'And the zebra?')
  const retried = await again(edited)

  expect(await list()).toMatchObject([
    // Copied entries count once; older versions took theirs with them.
    { id: retried, versions: 3, usage: { inputTokens: 400, outputTokens: 40 } },
  ])
  for (const [at, id] of [first, edited, retried].entries()) {
    const [, second] = (await entries(id)).filter(({ type }) => type === 'user')
    expect(await versions(id)).toEqual([{ entry: second?.seq, sessionIds: [first, edited, retried], shown: at }])
  }
  expect(await list('?q=walrus')).toMatchObject([{ id: first, found: { text: 'And the walrus?' } }])
  expect(await list('?q=zebras')).toMatchObject([{ id: edited, versions: 3 }])
  // Where several versions have the words, the newest stands for them.
  expect(await list('?q=zebra')).toMatchObject([{ id: retried }])
  expect(await read(`/api/sessions/${edited}`)).toMatchObject({ branchedFrom: { sessionId: first, isVersion: true } })

  // Pages do not show a family twice.
  const [page] = [await read<SessionsPage>('/api/sessions?limit=1')]
  expect(page?.next).toBeUndefined()
})

test('a branch after an answer is a session by itself, with versions of its own', async () => {
  const jarvis = await startJarvis({ model: scripted(says('One.'), says('Two.'), says('Three.')) })
  const { say, again, list, versions, entries, read } = await person(jarvis)
  const first = await say('How is pve?')
  const after = (await entries(first)).findLast(({ type }) => type === 'assistant')?.seq
  const branch = await read<SessionSummary>(`/api/sessions/${first}/branch`, { method: 'POST', json: { after } })
  expect(branch.branchedFrom).toEqual({ sessionId: first, entry: after, title: 'How is pve?' })
  await say('Go on.', branch.id)
  const edited = await again(branch.id, 'Go on, please.')
  expect((await list()).map(({ id }) => id)).toEqual([edited, first])
  expect(await versions(first)).toEqual([])
  expect(await versions(edited)).toMatchObject([{ sessionIds: [branch.id, edited], shown: 1 }])

  await jarvis.rest(`/api/sessions/${edited}`, { method: 'DELETE' })
  expect((await list()).map(({ id }) => id)).toEqual([first])
  expect((await jarvis.rest(`/api/sessions/${branch.id}`)).status).toBe(404)
})

test('versions are renamed, archived and deleted together, and a card that waits in an older one is in sight', async () => {
  const model = scripted(calls(['stop_vm', { vmid: 103 }]), says('Two.'), says('Three.'))
  const jarvis = await startJarvis({ model })
  const { screen, say, again, list, versions, read } = await person(jarvis)
  const { sessionId: first } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const edited = await again(first, 'Leave 103 alone.')
  expect(await list()).toMatchObject([{ id: edited, versions: 2, isRunning: true, pendingCount: 1 }])

  const patch = (id: string, json: object) => read<SessionSummary>(`/api/sessions/${id}`, { method: 'PATCH', json })
  await patch(first, { title: 'About 103' })
  expect(await list()).toMatchObject([{ id: edited, title: 'About 103' }])
  await patch(first, { isArchived: true })
  expect([await list(), await list('?q=103')]).toEqual([[], []])
  expect(await list('?archived=only')).toMatchObject([{ id: edited }])
  // Somebody writes in one of them: all of the family is back, also for the search.
  await say('Once more.', edited)
  expect(await list('?archived=only')).toEqual([])
  expect(await list('?q=Stop')).toMatchObject([{ id: first }])

  expect((await jarvis.rest(`/api/sessions/${edited}`, { method: 'DELETE' })).status).toBe(204)
  expect(await list('?archived=all')).toEqual([])
  expect(await screen.next('chat:confirm_resolved')).toMatchObject({ toolUseId, decision: 'cancelled' })
  expect((await jarvis.rest(`/api/sessions/${first}/versions`)).status).toBe(404)
  await expect(versions(edited)).rejects.toThrow('404')
  const { items } = await read<Page<JournalEntry>>('/api/journal?kind=session')
  const deleted = items.filter(({ body }) => (body as { change: string }).change === 'deleted')
  expect(deleted.map(({ body }) => (body as { sessionId: string }).sessionId).toSorted()).toEqual(
    [first, edited].toSorted(),
  )
  expect(jarvis.controls.effects).toEqual([])
})
