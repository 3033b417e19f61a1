import type { WorkbenchArea, WorkbenchSection } from 'protocol'
import { expect, test } from 'vitest'
import { hindrance, isOn, switched, withoutRoot, withRoot } from './draft.ts'

const off: WorkbenchSection = { exec: false, web: { private: [] }, browser: false, git: false, egress: [] }
const area = (name: WorkbenchArea['name'], isInForce = false) =>
  ({ name, isOn: isInForce, allows: '', key: '', missing: [], facts: [], tools: [] }) satisfies WorkbenchArea
const root = { name: 'compose', path: '/srv/compose', write: true }

test.each(['files', 'exec', 'web', 'browser', 'git', 'docker'] as const)('%s is turned on and off again', (name) => {
  const on = switched(off, name, true)
  expect(isOn(area(name), on)).toBe(true)
  expect(isOn(area(name), switched(on, name, false))).toBe(false)
  expect(isOn(area(name), off)).toBe(false)
})

test('the web is as it is in force where the section does not say', () => {
  expect(isOn(area('web', true), off)).toBe(true)
  expect(isOn(area('web', true), switched(off, 'web', false))).toBe(false)
})

test('commands bring the files of the conversation, and what needs another part says so', () => {
  const exec = switched(off, 'exec', true)
  expect(isOn(area('files'), exec)).toBe(true)
  expect(hindrance(exec, 'files', false)).toContain('turn them off first')
  expect(hindrance(off, 'git', true)).toContain('as a root first')
  expect(hindrance(withRoot(off, root), 'git', true)).toBeUndefined()
  expect(hindrance({ ...off, web: { private: ['a:1'] } }, 'web', false)).toContain('first')
})

test('a root is added, changed in place, and removed; Git goes with the last one', () => {
  const two = withRoot(withRoot(off, root), { ...root, name: 'logs' })
  expect(withRoot(two, { ...root, write: false }).roots?.map(({ name, write }) => [name, write])).toEqual([
    ['compose', false],
    ['logs', true],
  ])
  const one = withoutRoot({ ...two, git: true }, 'logs')
  expect(one).toMatchObject({ git: true, roots: [root] })
  expect(withoutRoot(one, 'compose')).toMatchObject({ git: false, roots: [] })
})
