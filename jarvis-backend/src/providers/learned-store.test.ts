import { expect, test } from 'vitest'
import { LearnedStore } from './learned-store.ts'

const day = 24 * 60 * 60_000
const config = { provider: 'lab', kind: 'openai-chat', baseUrl: 'http://lab/v1', model: 'm' } as const
const key = 'refused_parts:["openai-chat","http://lab/v1","m"]'

function store(kept: Record<string, string> = {}) {
  const settings = new Map(Object.entries(kept))
  let now = 0
  const said: string[] = []
  const memory = new LearnedStore({
    settings: { get: (name) => settings.get(name), set: (name, value) => void settings.set(name, value) },
    clock: { now: () => now },
    redact: (text) => text.replaceAll('sk-secret', '[key]'),
    leftOut: (id, { tool, why }) => void said.push(`${tool} for ${id}: ${why}`),
  })
  const at = (days: number) => {
    now = days * day
    return memory.of(config)
  }
  return { memory, at, said, settings }
}

test('what a server refused is kept for 30 days, also what an earlier release kept without its time', () => {
  const { at } = store({ [key]: '["schema:anyOf"]' })
  at(0).add('form:bridges')
  expect(['schema:anyOf', 'form:bridges'].map((part) => at(29).has(part))).toEqual([true, true])
  expect(['schema:anyOf', 'form:bridges'].map((part) => at(30).has(part))).toEqual([false, false])
  at(30).add('form:names')
  expect([at(31).has('form:names'), at(31).has('form:bridges')]).toEqual([true, false])
})

test('a tool that is left out is told once, without secrets, and listed until it is forgotten', () => {
  const { memory, at, said, settings } = store()
  at(0).add('tool:lab__x:1', { tool: 'lab__x', why: 'It refused sk-secret.' })
  const leftOut = { tool: 'lab__x', why: 'It refused [key].' }
  expect(said).toEqual(['lab__x for lab/m: It refused [key].'])
  expect(memory.newly('lab/m')).toEqual([leftOut])
  expect(memory.newly('lab/m')).toEqual([])
  expect(memory.leftOut([config])).toEqual([['lab/m', leftOut]])
  expect([...settings.values()].join()).not.toContain('sk-secret')
  memory.forget([config])
  expect(memory.leftOut([config])).toEqual([])
  expect(at(0).has('tool:lab__x:1')).toBe(false)
})
