import { expect, test } from 'vitest'
import type { ApprovedFile, SkillStore } from '../../src/skills/store.ts'

const file = (path: string, text?: string): ApprovedFile =>
  text === undefined
    ? { path, kind: 'binary', bytes: 3, hash: 'b' }
    : { path, kind: 'text', bytes: text.length, hash: text, text }
const approval = { name: 'hot-node', hash: 'h1', at: 10, by: 'ana' }

/** The contract of every SkillStore. @param open two stores over one place, of two owners */
export function skillStoreContract(open: () => [SkillStore, SkillStore]) {
  test('the newest approval of a skill and its files are kept', () => {
    const [store] = open()
    expect([store.approvals().size, store.files('hot-node')]).toEqual([0, []])
    store.approve(approval, [file('SKILL.md', 'a'), file('x.png')])
    expect(store.files('hot-node')).toEqual([file('SKILL.md', 'a'), file('x.png')])
    store.approve({ ...approval, hash: 'h2', by: 'ben' }, [file('SKILL.md', 'b')])
    expect([...store.approvals()]).toEqual([['hot-node', { ...approval, hash: 'h2', by: 'ben' }]])
    expect(store.files('hot-node')).toEqual([file('SKILL.md', 'b')])
  })

  test('what is turned off keeps its tree, and an approval turns it on again', () => {
    const [store] = open()
    store.turnOff('hot-node', { at: 20, by: 'ana' })
    expect(store.approvals().size).toBe(0)
    store.approve(approval, [file('SKILL.md', 'a')])
    store.turnOff('hot-node', { at: 20, by: 'ana' })
    expect(store.approvals().get('hot-node')).toEqual({ ...approval, off: { at: 20, by: 'ana' } })
    expect(store.files('hot-node')).toHaveLength(1)
    store.approve({ ...approval, at: 30 }, [file('SKILL.md', 'a')])
    expect(store.approvals().get('hot-node')).toEqual({ ...approval, at: 30 })
  })

  test('the newest use is kept with the approval', () => {
    const [store] = open()
    store.used('hot-node', { at: 1, sessionId: 'ses_1' })
    expect(store.uses().size).toBe(0)
    store.approve(approval, [])
    store.used('hot-node', { at: 1, sessionId: 'ses_1' })
    store.used('hot-node', { at: 2, sessionId: 'ses_2' })
    store.approve({ ...approval, hash: 'h2' }, [])
    expect([...store.uses()]).toEqual([['hot-node', { at: 2, sessionId: 'ses_2' }]])
    store.remove('hot-node')
    expect([store.approvals().size, store.uses().size]).toEqual([0, 0])
  })

  test('two owners may have skills of one name', () => {
    const [one, other] = open()
    one.approve(approval, [file('SKILL.md', 'a')])
    expect([other.approvals().size, other.files('hot-node')]).toEqual([0, []])
    other.approve({ ...approval, hash: 'h9' }, [])
    other.remove('hot-node')
    expect(one.approvals().get('hot-node')).toEqual(approval)
  })
}
