import { JarvisError } from 'protocol'
import { type InForce, misspelt } from '../config/in-force.ts'
import { sections } from '../config/setting.ts'
import { readInForce } from '../config/settings-file.ts'
import type { Input } from './options.ts'
import { visible } from './terminal/visible.ts'

type Env = Record<string, string | undefined>

/**
 * `jarvis config`: shows settings with their value, and where it comes from. Without words those that somebody set; with words those whose name
 * contains one. Works if a setting cannot be used. @throws JarvisError `invalid_request` if no setting fits; ConfigError
 */
export function config(
  { env, outside }: { env: Env; outside: Env },
  { values, positionals }: Input<{ all?: boolean; json?: boolean }>,
): void {
  const all = readInForce(env, outside)
  const words = positionals.map((word) => word.toUpperCase())
  const isShown = ({ name, source }: InForce) =>
    words.length > 0
      ? words.some((word) => name.toUpperCase().includes(word))
      : values.all === true || source !== 'default'
  const shown = all.filter(isShown)
  if (words.length > 0 && shown.length === 0)
    throw new JarvisError(
      'invalid_request',
      `No setting has ${positionals.join(' or ')} in its name. jarvis config --all lists them.`,
    )
  if (values.json === true) {
    console.log(JSON.stringify(shown, null, 2))
    return
  }
  const width = Math.max(0, ...shown.map(({ name }) => name.length))
  for (const section of sections) {
    const rows = shown.filter((row) => row.section === section)
    if (rows.length === 0) continue
    console.log(section)
    for (const row of rows) {
      console.log(`  ${row.name.padEnd(width)}  ${wordsFor(row)}`)
      if (words.length > 0) console.log(`  ${' '.repeat(width)}  ${plain(row.about)}`)
    }
  }
  const hidden = all.length - shown.length
  if (words.length === 0 && hidden > 0)
    console.log(`${shown.length === 0 ? 'All' : hidden} settings have their default: jarvis config --all`)
  for (const { name, meant } of misspelt(env)) console.error(`${visible(name)} is no setting. Did you mean ${meant}?`)
}

/** Removes backticks and the addresses of links, which are for Markdown. */
const plain = (text: string) => text.replace(/\[([^[\]]*)\]\([^()[\]]*\)/g, '$1').replaceAll('`', '')

function wordsFor({ value, source, isOverridden, ...row }: InForce): string {
  if (value === undefined) return `${plain(row.default)} (default)`
  const place = source === 'settings.env' ? 'settings.env, saved by the dashboard' : source
  const other = isOverridden === true ? '; what the dashboard saved does not count' : ''
  return `${visible(value)} (${place}${other})`
}
