import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { settingLeaves } from '../src/config/secret-leaves.ts'
import { serverSettings } from '../src/config/server.ts'
import { defineSettings, Settings } from '../src/config/setting.ts'
import { settings } from '../src/config/settings.ts'

const secrets = settings.list().filter(({ secret }) => secret !== undefined)

/** A value that the schema takes: 64 hexadecimal digits satisfy every secret but a token with a prefix. */
const acceptedValue = (name: string) => {
  const digits = 'ab'.repeat(32)
  return [digits, `jarvis_${digits}`].find((text) => settings.get(name)?.schema.safeParse(text).success === true)
}

test.each(secrets.map(({ name }) => name))('%s is redacted, and sealed in settings.env', (name) => {
  const text = acceptedValue(name) ?? ''
  expect(settings.secretsIn({ [name]: text })).toContain(text)
  expect(settingLeaves({ [name]: text }).map(({ place }) => place)).toEqual([`settings.env/${name}`])
})

test('a configuration holds the secrets of its settings', () => {
  const [one, two] = ['ab'.repeat(32), 'cd'.repeat(32)]
  expect(readConfig({ JARVIS_SECRETS_KEY: `${one} ${two}`, OPENAI_API_KEY: 'sk-one' }).secrets).toEqual([
    one,
    two,
    'sk-one',
  ])
})

test('a setting whose name looks like a secret is one, or is a file or an id', () => {
  const open = settings.list().filter(({ name, secret }) => secret === undefined && /SECRET|KEY|PASS|TOKEN/.test(name))
  expect(open.filter(({ name }) => !/_(?:FILE|PATH|ID|TOKENS)$/.test(name))).toEqual([])
})

test('the value of a setting is read by its row, and of no setting that is not registered', () => {
  const config = readConfig({ PORT: '4100' })
  expect(config.value(serverSettings.PORT)).toBe(4100)
  const { JARVIS_OTHER } = defineSettings({ JARVIS_OTHER: { schema: serverSettings.PORT.schema } })
  expect(() => config.value(JARVIS_OTHER)).toThrow('JARVIS_OTHER is no registered setting.')
})

test('a name that two groups declare is refused', () => {
  expect(() => new Settings([serverSettings, serverSettings])).toThrow('PORT is declared twice.')
})
