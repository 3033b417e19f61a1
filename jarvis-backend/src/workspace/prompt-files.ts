import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The operator's own texts that every prompt has; looked at before each use, so that an edit counts from the next message
 * on. Puts `SOUL.md` there as it is shipped where there is none.
 * @returns each text, undefined where the file is not there; the very same object as long as none of them changes
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
