import { expect, test } from 'vitest'
import { misspelt, settingsInForce } from './in-force.ts'
import { settings } from './settings.ts'

const rowsOf = (...given: Parameters<typeof settingsInForce>) =>
  new Map(settingsInForce(...given).map((row) => [row.name, row]))
const nothing = { all: {}, counting: {} }

test('a setting has the first of environment, .env and what the dashboard saved, else its default', () => {
  const saved = { HOST: '::1', LOG_LEVEL: 'debug', PORT: '1' }
  const rows = rowsOf(
    { PORT: '4001', HOST: ' ', TZ: 'Europe/Berlin' },
    { TZ: 'Europe/Berlin' },
    { all: saved, counting: saved },
  )
  expect(rows.get('TZ')).toMatchObject({ value: 'Europe/Berlin', source: 'environment' })
  expect(rows.get('PORT')).toMatchObject({ value: '4001', source: '.env', isOverridden: true })
  expect(rows.get('HOST')).toMatchObject({ value: '::1', source: 'settings.env' })
  expect(rows.get('JARVIS_DATA_DIR')).toMatchObject({ source: 'default', default: '`~/.jarvis`' })
  expect(rows.get('JARVIS_DATA_DIR')).not.toHaveProperty('value')
})

test('what was saved and does not count is not shown as the value', () => {
  const rows = rowsOf({}, {}, { all: { HOST: '::1' }, counting: {} })
  expect(rows.get('HOST')).toMatchObject({ source: 'default' })
})

test('no secret is shown, from wherever it comes', () => {
  const secrets = settings.list().filter(({ secret, section }) => secret !== undefined && section !== undefined)
  expect(secrets.length).toBeGreaterThan(5)
  const text = 'user:planted-in-a-setting@'
  const given = Object.fromEntries(secrets.map(({ name }) => [name, `http://${text}host`]))
  for (const rows of [
    rowsOf(given, given, nothing),
    rowsOf(given, {}, nothing),
    rowsOf({}, {}, { all: given, counting: given }),
  ]) {
    expect(JSON.stringify([...rows.values()])).not.toContain('planted')
    for (const { name } of secrets) expect(rows.get(name)?.value).toBe('set')
  }
})

test('a secret within a setting that is none is not shown', () => {
  const given = {
    ANTHROPIC_BASE_URL: 'https://gateway.lan/?key=planted-in-an-address',
    OPENAI_BASE_URL: 'http://me:planted@h/v1',
    JARVIS_PUBLIC_URL: 'https://planted@jarvis.lan',
  }
  const rows = rowsOf(given, given, nothing)
  expect(JSON.stringify([...rows.values()])).not.toContain('planted')
  expect(rows.get('ANTHROPIC_BASE_URL')?.value).toContain('https://gateway.lan/')
})

test('a misspelt setting is named with the one that was meant, and a foreign variable is not', () => {
  expect(misspelt({ JARVIS_PASSWROD: 'x', PVE_HOST: 'y', PATH: '/bin', JARVIS_PASSWORD: 'z' })).toEqual([
    { name: 'JARVIS_PASSWROD', meant: 'JARVIS_PASSWORD' },
  ])
})
