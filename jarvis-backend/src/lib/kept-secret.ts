import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads a secret from its file, and makes the file readable only by its owner. @returns undefined if the file does not exist */
export function keptSecret(dir: string, name: string): string | undefined {
  const path = join(dir, name)
  if (!existsSync(path)) return undefined
  chmodSync(path, 0o600)
  const value = readFileSync(path, 'utf8').trim()
  return value === '' ? undefined : value
}

/** Writes a secret to its file atomically. */
export function keepSecret(dir: string, name: string, value: string): void {
  const path = join(dir, name)
  writeFileSync(`${path}.new`, `${value}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
