import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { JarvisError } from 'protocol'

/** The file of settings that the dashboard saved. They apply to variables that neither the environment nor `.env` sets. */
export const settingsPath = (dataDir: string): string => join(dataDir, 'settings.env')

/** New values of variables; undefined removes one. */
export type Changes = Readonly<Record<string, string | undefined>>

/** Reads a settings file; a missing file is empty. @throws the system's error */
export function readEnvFile(path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  return Object.fromEntries(
    Object.entries(parseEnv(readFileSync(path, 'utf8'))).map(([key, value]) => [key, value ?? '']),
  )
}

/** Matches an assignment with all lines of its value. */
const assignment = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?[^\n]*(?:\n|$)/gm

/**
 * Changes values in the text of a settings file: in place, otherwise after the commented-out example, otherwise at the end. All other text stays.
 * @throws JarvisError `invalid_request` if a value cannot be written
 */
export function withChanges(text: string, changes: Changes): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const left = new Map(Object.entries(changes))
  let result = text.replace(assignment, (whole, key: string) => {
    if (!(key in changes)) return whole
    // If a variable is assigned several times, the last assignment counted. The first place gets the new value, and the others are removed.
    const value = left.get(key)
    left.delete(key)
    return value === undefined ? '' : `${lineOf(key, value)}${whole.endsWith('\n') ? eol : ''}`
  })
  for (const [key, value] of left) {
    if (value === undefined) continue
    const example = new RegExp(`^[ \\t]*#[ \\t]*${key}=[^\\n]*(\\n|$)`, 'm').exec(result)
    const at = example === null ? result.length : example.index + example[0].length
    const before = result.slice(0, at)
    const gap = before === '' || before.endsWith('\n') ? '' : eol
    result = `${before}${gap}${lineOf(key, value)}${eol}${result.slice(at)}`
  }
  const wanted = { ...parseEnv(text), ...changes }
  const made = parseEnv(result)
  const isSame = (key: string) => made[key] === wanted[key as keyof typeof wanted]
  if (Object.keys({ ...wanted, ...made }).every(isSame)) return result
  throw new JarvisError(
    'invalid_request',
    'The settings file has lines that cannot be kept as they are. Edit it by hand.',
  )
}

/** Writes changes atomically. Only the file's owner can read it. A symbolic link stays a link. */
export function writeEnvFile(path: string, changes: Changes): void {
  const target = existsSync(path) ? realpathSync(path) : path
  const text = withChanges(existsSync(target) ? readFileSync(target, 'utf8') : '', changes)
  const unfinished = `${target}.new`
  rmSync(unfinished, { force: true })
  const file = openSync(unfinished, 'wx', 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, target)
}

function lineOf(key: string, value: string): string {
  if (/^[\w@%+:,./~-]+$/.test(value)) return `${key}=${value}`
  const quote = ["'", '"', '`'].find((mark) => !value.includes(mark))
  if (quote !== undefined && !/[\r\n\\]/.test(value)) return `${key}=${quote}${value}${quote}`
  throw new JarvisError('invalid_request', `${key} has characters that a settings file cannot hold.`)
}
