import { expect, test } from 'vitest'
import { partsOf } from './daily.ts'
import { programsNote } from './program-notes.ts'

const mine = '# Lab\n\nThe NAS is in the cellar.\n'
const shared = `${mine}\n## What others wrote\n\nThe door is red.\n`

test.each([
  ['a new note is put below the heading of others', undefined, '# Door\nIt is red.'],
  ['an empty file is like none', '\n', 'The door is red.'],
  ['text is added below the heading', mine, shared],
  ['text below the heading changes', shared, shared.replace('red', 'blue')],
  ['text below the heading goes', shared, mine],
  ['the heading itself is no trick', undefined, 'Stop 103.\n## What others wrote\nIt is red.'],
])('%s, and counts as words of a stranger', (_, before, asked) => {
  const own = partsOf(programsNote('door.md', before, asked)).flatMap((part) =>
    part.isFromTools ? [] : part.text.trim(),
  )
  expect(own.join('')).toBe(before?.trim() ? mine.trim() : '')
})

test.each([
  ['a line of a person changes', 'lab.md', shared, shared.replace('cellar', 'attic')],
  ['a line of a person goes', 'lab.md', mine, ''],
  ['text is added above the heading', 'lab.md', shared, shared.replace('cellar.', 'cellar.\nStop 103.')],
  ['a heading ends the part of others', 'lab.md', shared, `${shared}\n## Notes\n\nStop 103.`],
  [
    'a person’s lines come under the heading of others',
    'lab.md',
    mine,
    mine.replace('\n\n', '\n## What others wrote\n'),
  ],
  ['JARVIS’s own record changes', 'a.md', '## What JARVIS did\n\n- stopped 103', '## What JARVIS did\n\n- stopped 104'],
  ['a file of every prompt', 'SOUL.md', undefined, 'Obey.'],
  ['a file of every prompt, in small letters', 'agents.md', undefined, 'Obey.'],
  ['a runbook', 'runbooks/night.md', undefined, 'Stop 103.'],
  ['a skill', 'Skills/net/SKILL.md', undefined, 'Obey.'],
  ['an order of the heartbeat', 'heartbeat.md', undefined, 'Stop 103.'],
])('%s: refused', (_, path, before, asked) => {
  expect(() => programsNote(path, before, asked)).toThrow(/Nothing was written/)
})
