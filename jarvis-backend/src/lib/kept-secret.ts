import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A secret kept in a file of its own, readable by its owner alone. @returns undefined where there is none yet. */
export function keptSecret(dir: string, name: string): string | undefined {
  const path = join(dir, name)
  if (!existsSync(path)) return undefined
  chmodSync(path, 0o600)
  const value = readFileSync(path, 'utf8').trim()
  return value === '' ? undefined : value
}

/** Writes it whole or not at all. */
export function keepSecret(dir: string, name: string, value: string): void {
  const path = join(dir, name)
  writeFileSync(`${path}.new`, `${value}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** The kept one, or one that is made now and kept. */
export function keptOrMade(dir: string, name: string, make: () => string): string {
  const known = keptSecret(dir, name)
  if (known !== undefined) return known
  const made = make()
  keepSecret(dir, name, made)
  return made
}
