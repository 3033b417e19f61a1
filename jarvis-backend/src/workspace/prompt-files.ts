import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reads the operator's texts that are part of every prompt. Checks the files before each use, so an edit applies from the next message on.
 * @param shippedSoul used if `SOUL.md` is missing
 * @param mayWrite creates a missing `SOUL.md` at once
 * @returns each text, undefined for a missing file; the same object while no file changes
 */
export function createPromptFiles(dir: string, shippedSoul: string, mayWrite = true) {
  const soul = join(dir, 'SOUL.md')
  if (mayWrite && !existsSync(soul)) writeFileSync(soul, shippedSoul)
  const known = new Map<string, { ctimeMs: number; text: string }>()
  const read = (name: string): string | undefined => {
    const path = join(dir, name)
    const ctimeMs = statSync(path, { throwIfNoEntry: false })?.ctimeMs
    if (ctimeMs === undefined) return undefined
    const before = known.get(name)
    if (before?.ctimeMs === ctimeMs) return before.text
    try {
      const text = readFileSync(path, 'utf8')
      known.set(name, { ctimeMs, text })
      return text
    } catch {
      return undefined
    }
  }
  const readAll = () => ({
    soul: read('SOUL.md') ?? shippedSoul,
    identity: read('IDENTITY.md'),
    agents: read('AGENTS.md'),
    user: read('USER.md'),
    tools: read('TOOLS.md'),
  })
  let last = readAll()
  return () => {
    const now = readAll()
    const isSame = (Object.keys(now) as (keyof typeof now)[]).every((key) => now[key] === last[key])
    if (!isSame) last = now
    return last
  }
}
