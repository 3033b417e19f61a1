import { expect, test } from 'vitest'
import { openMemoryStore } from '../store/sqlite/memory/store.ts'
import { changesOf } from './changes.ts'
import { lessonAbove, ownHeading } from './daily.ts'
import { createFileKeeper } from './file-keeper.ts'

const asked = (what: string, id: string) => `- 12:00 Asked: "${what}" (ses_${id})`

test('each passage of a lesson begins with what was asked in which conversation, and no other text does', () => {
  const steps = Array.from(
    { length: 40 },
    (_, at) => `  - restart_service node=pve service=unit${at}: done. ${'ok '.repeat(20)}`,
  )
  const notes = ['# Notes', asked('Mine?', '00000000'), ...steps]
  const own = [ownHeading, '', asked('First?', '11111111'), ...steps, asked('Second?', '22222222'), '  - one: done.']
  const text = [...own, ...notes].join('\n')
  const store = openMemoryStore(':memory:', () => {})
  const keeper = createFileKeeper({
    list: () => [{ path: 'memory/2026-01-31.md', bytes: 1, changedAt: 0 }],
    read: () => ({ text }),
  })
  for (const change of changesOf(store, [keeper])) change.make()
  const passages = store.chunksOf('memory/2026-01-31.md')
  store.close()

  const lines = text.split('\n')
  const lessons = passages.filter(({ isFromTools }) => isFromTools)
  expect(lessons.length).toBeGreaterThan(2)
  const cut = lessons.slice(1)
  expect(cut.map((each) => each.text.split('\n')[0])).toEqual(cut.map(() => asked('First?', '11111111')))
  // Its place is that of its own first line.
  expect(cut.map((each) => each.text.split('\n')[1]?.trim())).toEqual(
    cut.map((each) => lines[each.firstLine - 1]?.trim()),
  )
  const written = passages.filter(({ isFromTools }) => !isFromTools)
  expect(written.filter((each) => each.text.includes('Asked'))).toHaveLength(1)
})

const first = asked('Why?', 'abcdefgh')
test.each<[string, string[], number, number | undefined]>([
  ['a step', [first, '  - done', '  - failed'], 3, 1],
  ['a step behind an empty line', [first, '', '  - failed'], 3, 1],
  ['the first line', ['  - done', first], 2, undefined],
  ['a line that is not indented', [first, 'Written by hand.'], 2, undefined],
  ['a step below it', [first, 'Written by hand.', '  - done'], 3, undefined],
  ['a step of a list', ['- Shopping', '  - milk'], 2, undefined],
  ['a step of a client that has no conversation', ['- 12:00 Asked: "Why?" (ses_mcp_ops)', '  - done'], 2, undefined],
  ['a line that is not there', [first], 9, undefined],
])('the lesson of %s', (_, lines, number, place) => {
  expect(lessonAbove(lines, number)?.number).toBe(place)
})
