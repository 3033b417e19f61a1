import { expect, test } from 'vitest'
import { createRecall } from './recall.ts'
import type { Memory } from './remote.ts'

const places = { kinds: ['file', 'session'], mayRecall: () => true } as const

const memory = (call: () => Promise<never>): Memory => ({
  call,
  status: () => undefined,
  kinds: () => ['file'],
  stop: async () => {},
})

test.each([
  ['does not answer', () => new Promise<never>(() => {}), 'The memory did not answer within 0.3 s.'],
  [
    'fails',
    () => Promise.reject(new Error('The memory stopped in the middle of this.')),
    'The memory stopped in the middle of this.',
  ],
])('notes that were not searched, as the memory %s, are said not to have been', async (_how, call, why) => {
  expect(await createRecall(memory(call))('How long does the UPS last?', places)).toEqual({
    items: [],
    problem: `Your notes were not searched for this answer. ${why}`,
  })
})

const hit = (text: string, more: object) => ({
  kind: 'session',
  name: 'ses_1',
  title: 'Printers',
  firstLine: 1,
  lastLine: 2,
  changedAt: 7,
  isFromTools: false,
  heading: '',
  text,
  evidence: { words: ['vlan', 'printer'], coverage: 1, closeness: 0 },
  ...more,
})

test.each([
  ['a person said it', hit('Operator: The printer moved to VLAN 30 last week.\nJARVIS: Noted.', {}), true],
  ['the same question was asked', hit('Operator: Which VLAN has the printer?\nJARVIS: 30.', {}), false],
  ['a tool said it', hit('get_config: VLAN 30, printer', { isFromTools: true }), false],
  ['another person said it', hit('Operator: The printer moved to VLAN 30.', { name: 'ses_2' }), false],
  [
    'it has one of the words',
    hit('Operator: The printer is loud.', { evidence: { words: ['printer'], coverage: 0.9, closeness: 0 } }),
    false,
  ],
])('a conversation in which %s: recalled %s', async (_, found, isRecalled) => {
  const call = (async () => ({ hits: [found], byKeywordsAlone: true, others: [], ignored: [] })) as never
  const recall = createRecall({ ...memory(call), kinds: () => ['session'] })
  const { items } = await recall('Which VLAN has the printer?', {
    kinds: ['file', 'session'],
    mayRecall: (id) => id === 'ses_1',
  })
  const item = { kind: 'session', name: 'ses_1', changedAt: 7, isFromTools: true, why: 'because of VLAN, printer' }
  expect(items).toMatchObject(isRecalled ? [item] : [])
})

test.each([
  ['The printer is offline again. Look which VLAN that was and tell me.', ['printer', 'offlin'], true],
  ['The printer is offline again. Look which VLAN that was and tell me.', ['printer'], false],
  ['Order toner for the printer at the shop downtown. Then call Mira.', ['printer', 'order'], false],
  ['The printer is offline', ['printer', 'offlin'], false],
])('of a note with little of "%s" and its words %j is recalled: %s', async (message, words, isRecalled) => {
  const note = { kind: 'file', name: 'memory/a.md', title: 'a.md', evidence: { words, coverage: 0.3, closeness: 0 } }
  const long =
    'The printer was offline in May, so Mira moved it, its cable, the scanner and the toner to the attic room.'
  const call = (async () => ({ hits: [hit(long, note)], byKeywordsAlone: true, others: [], ignored: [] })) as never
  expect((await createRecall(memory(call))(message, places)).items).toHaveLength(isRecalled ? 1 : 0)
})

test('an answer says that the newest notes are not indexed yet', async () => {
  const stillIndexed = { items: [], problem: expect.stringContaining('still being indexed') }
  const call = (async () => ({ hits: [], byKeywordsAlone: true, others: [], ignored: [], isBehind: true })) as never
  expect(await createRecall(memory(call))('How long does the UPS battery last?', places)).toEqual(stillIndexed)
  const none = { ...memory(call), kinds: () => [] }
  expect(await createRecall(none, () => true)('How long does the UPS battery last?', places)).toEqual(stillIndexed)
  expect(await createRecall(none, () => true)('Good morning, thanks!', places)).toEqual({ items: [] })
})
