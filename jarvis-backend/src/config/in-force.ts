import { nearestName } from 'node-kit/nearest'
import type { SettingInForce } from 'protocol'
import { createRedactor } from 'redaction/redact'
import { settingLeaves } from './secret-leaves.ts'
import { settings } from './settings.ts'

type Texts = Readonly<Record<string, string | undefined>>

export type InForce = SettingInForce

/** Where a value of each source is changed. */
const changedIn: Record<InForce['source'], string> = {
  environment: 'the environment with which JARVIS starts, such as its service or compose file',
  '.env': '.env in JARVIS’s folder, for the next start',
  'settings.env': 'the dashboard, under Settings',
  default: '.env in JARVIS’s folder, for the next start',
}

const redactor = createRedactor([])

/** Returns a value without secrets. The query of an address may hold a key in any form, so none of it is shown. */
function shownText(name: string, text: string): string {
  if (settingLeaves({ [name]: text }).length > 0) return 'set'
  const [address = '', ...query] = text.split('?')
  return redactor.text(query.length > 0 && URL.canParse(text) ? `${address}?[redacted]` : text)
}

const isSet = (text: string | undefined): text is string => text !== undefined && text.trim() !== ''

/**
 * Returns every documented setting with the value in force, in the order of `docs/configure.md`.
 * @param env the environment including `.env`
 * @param outside the environment without it
 * @param saved all that the dashboard saved, and the part of it that counts
 */
export function settingsInForce(env: Texts, outside: Texts, saved: { all: Texts; counting: Texts }): InForce[] {
  return settings.list().flatMap((setting): InForce[] => {
    if (setting.section === undefined) return []
    const { name, section, about } = setting
    const row = { name, section, about, default: setting.default }
    const text = isSet(env[name]) ? env[name] : saved.counting[name]
    if (!isSet(text)) return [{ ...row, source: 'default', changedIn: changedIn.default }]
    const source = isSet(outside[name]) ? 'environment' : isSet(env[name]) ? '.env' : 'settings.env'
    return [
      {
        ...row,
        value: shownText(name, text),
        ...(settingLeaves({ [name]: text }).length > 0 && { isSecret: true }),
        source,
        changedIn: changedIn[source],
        ...(source !== 'settings.env' && isSet(saved.all[name]) && { isOverridden: true }),
      },
    ]
  })
}

/** Returns the variables that look like settings and are none, with the setting that was probably meant. */
export function misspelt(env: Texts): { name: string; meant: string }[] {
  const names = settings.list().map(({ name }) => name)
  return Object.keys(env).flatMap((name) => {
    if (!/^(?:JARVIS|PVE)_/.test(name) || settings.get(name) !== undefined) return []
    const meant = nearestName(name, names)
    return meant === undefined ? [] : [{ name, meant }]
  })
}
