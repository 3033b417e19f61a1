import type { Principal } from 'protocol'
import { z } from 'zod'
import type { Touch } from '../../gate/effect.ts'
import { reads } from '../../gate/targets.ts'
import type { World } from '../../gate/world.ts'
import { SkillOutput } from '../outputs.ts'
import { type ToolDefinition, toolOver } from '../tool.ts'

type Text = { name: string; hash: string; body: string; files: readonly { path: string; bytes: number }[] }

/** The skills that one agent may use. Every text that it returns was approved. */
type Reach = {
  /** @throws JarvisError `not_found` */
  load(name: string, sessionId?: string): Text
  /** @throws JarvisError `not_found` */
  readFile(name: string, path: string): { hash: string; text: string }
  /** The skills that fit the words best, at most ten. */
  search(words: string): readonly { name: string; description: string }[]
}

/** The parts that the tool over skills acts through. `of`: the skills that the asker's agent may use. */
export type SkillPorts = { of(asker: Principal | undefined): Reach }

const touches: Touch[] = [{ kind: 'read', on: 'site' }]
/** Limit of a file's text in one answer, characters. */
const mostChars = 30_000

const skillTool = toolOver<SkillPorts>()

/** @param names the enabled skills that a prompt lists; empty: the schema lists no names */
export const useSkill = (names: readonly string[]): ToolDefinition<z.ZodObject, SkillPorts> =>
  skillTool({
    name: 'use_skill',
    title: 'Load a skill',
    description: 'Loads a skill, or a `file` of it, or finds skills by words.',
    tier: 'green',
    touches,
    effects: (_: object, world: World) => reads({}, world),
    isApprovedText: true,
    timeoutMs: 10_000,
    input: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(64)
        .meta(names.length === 0 ? {} : { enum: [...names] })
        .optional(),
      file: z.string().min(1).max(300).optional(),
      search: z.string().trim().min(1).max(300).optional(),
    }),
    example: { name: 'none' },
    output: SkillOutput,
    async run({ name, file, search }, { sessionId, loadedSkills, asker }, { of }) {
      const skills = of(asker)
      if (name === undefined) {
        if (search === undefined) return failed('Give a name, or words to search for.')
        const found = skills.search(search)
        const lines = found.map((one) => `- ${one.name}: ${one.description}`)
        const text = found.length === 0 ? 'No enabled skill fits these words.' : lines.join('\n')
        return { text, summary: `${found.length} found`, data: { found: found.map((one) => one.name) } }
      }
      if (file !== undefined) {
        const { hash, text } = skills.readFile(name, file)
        const rest = text.length - mostChars
        const more = rest > 0 ? `\n[${rest} more characters are not shown.]` : ''
        const data = { skill: { name, hash }, gave: 'file', file }
        return { text: wrapped({ name, file }, text.slice(0, mostChars)) + more, summary: `${name}: ${file}`, data }
      }
      const { hash, body, files } = skills.load(name, sessionId === '' ? undefined : sessionId)
      const skill = { name, hash }
      if (loadedSkills?.().get(name) === hash) {
        const text = `${name} is loaded already: it stands above.`
        return { text, summary: 'Loaded already', data: { skill, gave: 'nothing' } }
      }
      return { text: wrappedSkill({ name, body, files }), summary: `Loaded ${name}`, data: { skill, gave: 'body' } }
    },
  })

/** The text of a skill in the form that a model receives. */
export function wrappedSkill({ name, body, files }: Omit<Text, 'hash'>): string {
  const others = files.map(({ path, bytes }) => `${path} (${bytes} bytes)`).join(', ')
  const tail = others === '' ? '' : `\nIts files, to be read with \`file\`: ${others}`
  return wrapped({ name }, body) + tail
}

const failed = (text: string) => ({ text, summary: text, isError: true })

const wrapped = ({ name, file }: { name: string; file?: string }, text: string) =>
  `<skill name="${name}"${file === undefined ? '' : ` file="${file}"`}>\n${text}\n</skill>`
