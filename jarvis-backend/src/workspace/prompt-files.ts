import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The operator's texts that are part of every prompt. They are checked before each use, so an edit applies from the next message on.
 * Creates the shipped `SOUL.md` where it is missing.
 * @returns each text, undefined for a missing file; the same object while none changes
 */
export function createPromptFiles(dir: string, shippedSoul: string) {
  const soul = join(dir, 'SOUL.md')
  if (!existsSync(soul)) writeFileSync(soul, shippedSoul)
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
    agents: read('AGENTS.md'),
    user: read('USER.md'),
    tools: read('TOOLS.md'),
  })
  let last = readAll()
  return () => {
    const { soul, agents, user, tools } = readAll()
    const isSame = soul === last.soul && agents === last.agents && user === last.user && tools === last.tools
    if (!isSame) last = { soul, agents, user, tools }
    return last
  }
}
