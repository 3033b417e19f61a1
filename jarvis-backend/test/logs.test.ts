import { expect, test } from 'vitest'
import { createRateLimit } from '../src/auth/rate-limit.ts'
import { seldom } from '../src/lib/seldom.ts'
import { says } from './support/scripted-model.ts'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis({ env: { LOG_LEVEL: 'info' } })

type Lines = { items: { level: string; message: string }[] }
const lines = async (query: string) => (await (await jarvis.rest(`/api/logs?${query}`)).json()) as Lines

test('a refused request leaves a line at its level, which a search finds and an export holds', async () => {
  jarvis.plays(says('Hello.'))
  expect((await jarvis.rest('/api/logs', { role: 'viewer' })).status).toBe(403)
  const { items } = await lines('level=warn&q=not%20ALLOWED')
  expect(items).toMatchObject([{ level: 'warn', message: expect.stringContaining('asked for GET /api/logs') }])
  expect((await lines('level=error&q=not%20allowed')).items).toEqual([])
  expect((await lines('q=nothing-has-this')).items).toEqual([])
  const file = await jarvis.rest('/api/logs/export?q=not%20allowed')
  expect(file.headers.get('content-disposition')).toContain('jarvis.log')
  expect(await file.text()).toMatch(/^\d{4}-\d\d-\d\dT\S+Z warn {2}Not allowed: [^\n]+\n$/)
})

test('every setting is shown with its value and place, and the export holds no secret', async () => {
  type Config = { items: { name: string; value?: string; source: string; changedIn: string }[] }
  const { items } = (await (await jarvis.rest('/api/config')).json()) as Config
  expect(items.find(({ name }) => name === 'LOG_LEVEL')).toMatchObject({ value: 'info', source: 'environment' })
  expect(items.find(({ name }) => name === 'JARVIS_PASSWORD')).toMatchObject({ value: 'set' })
  expect(items.every(({ changedIn }) => changedIn !== '')).toBe(true)
  const exported = (await (await jarvis.rest('/api/config/export')).json()) as Record<string, string>
  expect(exported).toMatchObject({ LOG_LEVEL: 'info' })
  expect(exported).not.toHaveProperty('JARVIS_PASSWORD')
})

test('a person beyond the limit is told when to come back, and the same line is told once a minute', () => {
  let now = 0
  const told: string[] = []
  const count = createRateLimit({ perMs: 60_000, now: () => now })
  for (let times = 0; times < 3; times += 1) count('per_ann', 3)
  expect(() => count('per_ann', 3)).toThrow('Too many requests. Try again in 60 s.')
  expect(() => count('per_bob', 3)).not.toThrow()
  const tell = seldom(
    () => now,
    (text) => void told.push(text),
  )
  for (const text of ['a', 'a', 'b']) tell(text)
  now = 60_000
  tell('a')
  expect(told).toEqual(['a', 'b', 'a'])
})
