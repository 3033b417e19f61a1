import { hashOf } from 'node-kit/canonical'
import { attachedServerOf, type Tier } from 'protocol'
import { type AttachedSchema, readAttachedSchema } from './schema.ts'
import { visible } from './text.ts'

/** The fields of a listed tool that JARVIS uses. All texts in them come from the server. */
export type Listed = {
  name: string
  title?: string
  description?: string
  inputSchema: Record<string, unknown>
  annotations?: { title?: string; readOnlyHint?: boolean; destructiveHint?: boolean }
  /** Reason why the tool cannot be used. */
  problem?: string
}

/** A tool that can be in the catalog. `hash`: identifies the definition; a tier is valid only for one hash. */
export type Definition = {
  name: string
  toolName: string
  title: string
  description: string
  hash: string
  suggestedTier: Tier
  schema: AttachedSchema
  listed: Listed
}
export type Refused = { toolName: string; problem: string }

const mostTools = 200
const longestDescription = 4_000
const longestName = 64
/** Maximum length of all definitions of a server together, characters, because every request to a model includes them. */
const mostChars = 1_000_000

/**
 * Divides a server's tools into usable ones and refused ones with the reason. If two tools get the same name, part of their hash is added to each
 * name, so that neither replaces the other. @param origin the server's command or URL, which is part of a tool's hash
 */
export function definitionsOf(
  server: string,
  origin: unknown,
  tools: readonly Listed[],
): { definitions: Definition[]; refused: Refused[] } {
  const refused: Refused[] = []
  const refuse = (name: string, problem: string) => {
    const toolName = visible(name, longestName)
    if (!refused.some((one) => one.toolName === toolName && one.problem === problem))
      refused.push({ toolName, problem })
  }
  const seen = new Set<string>()
  let chars = 0
  for (const { name, problem } of tools.slice(0, mostTools)) if (problem !== undefined) refuse(name, problem)
  const usable = tools.filter(({ name, problem }, index) => {
    if (problem !== undefined) return false
    if (index >= mostTools) {
      if (index === mostTools) refuse(name, `It and those after it are over the ${mostTools} tools of one server.`)
      return false
    }
    if (seen.has(name)) refuse(name, 'It is listed twice; the first one counts.')
    return !seen.has(name) && seen.add(name)
  })
  const plainNames = usable.map(({ name }) => plainName(server, name))
  const definitions = usable.flatMap((listed, index): Definition[] => {
    const { name: toolName, title, description = '', inputSchema, annotations } = listed
    try {
      chars += JSON.stringify(listed).length
      if (chars > mostChars) throw new Error('With it the definitions of this server are over 1 MB.')
      const [plain = ''] = plainNames.slice(index)
      const isShared = plainNames.filter((other) => other.toLowerCase() === plain.toLowerCase()).length > 1
      const isWhole = plain === `${server}__${toolName}`
      const name = isShared || !isWhole ? `${plain.slice(0, longestName - 7)}_${hashOf(toolName).slice(0, 6)}` : plain
      if (attachedServerOf(name) !== server) throw new Error('It has no usable name.')
      return [
        {
          name,
          toolName,
          title: visible(title ?? annotations?.title ?? toolName, 100),
          description: visible(description, longestDescription),
          hash: hashOf({ version: 1, origin, toolName, title, description, inputSchema }),
          suggestedTier:
            annotations?.readOnlyHint === true ? 'green' : annotations?.destructiveHint === false ? 'yellow' : 'red',
          schema: readAttachedSchema(inputSchema),
          listed,
        },
      ]
    } catch (error) {
      refuse(toolName, error instanceof Error ? error.message : String(error))
      return []
    }
  })
  return { definitions: definitions.toSorted((a, b) => (a.name < b.name ? -1 : 1)), refused }
}

const plainName = (server: string, toolName: string) =>
  `${server}__${toolName.replace(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, longestName)
