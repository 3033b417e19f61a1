import type { ContextItem, ContextPart, ContextReport } from 'protocol'
import { charsOfAttachment } from '../attachments.ts'
import { isSkillText, skillOf } from '../loaded-skills.ts'
import type { Message, ToolSpec } from '../model.ts'
import { charsOfRules } from '../persona.ts'
import type { StoredEntry } from '../sessions/transcript-store.ts'
import { factLines } from './as-folded.ts'
import { oneLine } from './facts/fact-maker.ts'
import { foldsIn, isGiven } from './folds.ts'
import { charsGiven, foldAsked, type Reading, resultsAt, turnsAt } from './next-fold.ts'
import { charsOfContent } from './size.ts'

/** A request and the entries from which it was made. `serverOf`: returns the attached server of a tool; undefined for JARVIS’s own tools. */
export type Made = Reading & {
  model: string
  system: string
  tools: readonly ToolSpec[]
  serverOf(toolName: string): string | undefined
  /** The catalogue of skills, exactly as it stands in `system`. */
  catalogue: string
  messages: readonly Message[]
}

type Weighed = { name: string; chars: number; seq?: number }

/** Returns the parts of the window. Each part’s tokens are computed from its share of the characters, so that they add up to the tokens used. */
export function partsOf(
  made: Made,
): Pick<ContextReport, 'model' | 'windowTokens' | 'usedTokens' | 'countedTokens' | 'resultsAt' | 'turnsAt' | 'parts'> {
  const { size, window } = made
  const { fold, resultsTo } = foldsIn(made.entries)
  const given = made.entries.filter((entry) => isGiven(entry, fold))
  const rules = Math.min(charsOfRules, made.system.length)
  const catalogue = made.system.includes(made.catalogue) ? made.catalogue.length : 0
  const written = Math.max(0, made.system.length - rules - catalogue)
  const weighed: [part: ContextPart['part'], things: Weighed[]][] = [
    ['system', [{ name: 'rules of the house', chars: rules }, ...clusterOf(given)]],
    ['tools', made.tools.map((tool) => ({ name: tool.name, chars: JSON.stringify(tool).length }))],
    ['skills', [...(catalogue > 0 ? [{ name: 'catalogue', chars: catalogue }] : []), ...skillsIn(given)]],
    ['memory', [...(written > 0 ? [{ name: 'files of the prompt', chars: written }] : []), ...recalledIn(given)]],
    [
      'folded',
      fold === undefined
        ? []
        : [
            {
              name: 'facts and summary',
              chars: factLines(fold.facts).join('\n').length + fold.text.length,
              seq: fold.seq,
            },
          ],
    ],
    ['transcript', transcriptOf(given)],
    ['results', resultsOf(given, resultsTo)],
  ]
  const chars = weighed.reduce((sum, [, things]) => sum + things.reduce((all, thing) => all + thing.chars, 0), 0)
  const scale = chars === 0 ? 0 : size.tokens / chars
  const tokens = (of: number) => Math.round(of * scale)
  const parts = weighed.map(([part, things]): ContextPart => {
    const largest = things.reduce<Weighed | undefined>(
      (most, thing) => (thing.chars > (most?.chars ?? 0) ? thing : most),
      undefined,
    )
    const items = part === 'tools' ? byServer(made, tokens) : undefined
    return {
      part,
      tokens: tokens(things.reduce((sum, thing) => sum + thing.chars, 0)),
      count: things.length,
      ...(largest && {
        largest: {
          name: largest.name,
          tokens: tokens(largest.chars),
          seq: largest.seq,
        },
      }),
      ...(items && { items }),
    }
  })
  const reserved = Math.min(window.answer, Math.max(0, window.tokens - size.tokens))
  const free = Math.max(0, window.tokens - size.tokens - reserved)
  return {
    model: made.model,
    windowTokens: window.tokens,
    usedTokens: size.tokens,
    countedTokens: size.counted,
    resultsAt,
    turnsAt,
    parts: [...parts, { part: 'reserved', tokens: reserved, count: 0 }, { part: 'free', tokens: free, count: 0 }],
  }
}

/** Returns the fold that “fold now” would make. @param because the reason why folding is not possible now, if something is open */
export function foldable(made: Reading, because: string | undefined): ContextReport['fold'] {
  const entries = foldAsked(made)?.count ?? 0
  if (because !== undefined) return { entries, because }
  return entries === 0 ? { entries, because: 'Only the newest answer is there.' } : { entries }
}

function byServer({ tools, serverOf }: Made, tokens: (chars: number) => number): ContextItem[] {
  const chars = new Map<string, number>()
  for (const tool of tools) {
    const server = serverOf(tool.name) ?? 'JARVIS'
    chars.set(server, (chars.get(server) ?? 0) + JSON.stringify(tool).length)
  }
  return [...chars].map(([name, of]) => ({ name, tokens: tokens(of) }))
}

/** Returns the texts of skills that a person named or the model loaded, and of the skills’ files. */
const skillsIn = (given: readonly StoredEntry[]): Weighed[] =>
  given.flatMap((entry): Weighed[] => {
    const { seq } = entry
    if (entry.type === 'skill') return [{ name: entry.name, chars: entry.text.length, seq }]
    if (entry.type !== 'tool_result' || !isSkillText(entry)) return []
    return [{ name: skillOf(entry), chars: entry.result.length, seq }]
  })

const recalledIn = (given: readonly StoredEntry[]): Weighed[] =>
  given.flatMap((entry) =>
    entry.type === 'recalled'
      ? entry.items.map(({ name, text }) => ({ name, chars: text.length + name.length + 40, seq: entry.seq }))
      : [],
  )

const clusterOf = (given: readonly StoredEntry[]): Weighed[] =>
  given.flatMap((entry) =>
    entry.type === 'user' && entry.context !== undefined
      ? [{ name: 'state of the cluster', chars: entry.context.length, seq: entry.seq }]
      : [],
  )

function transcriptOf(given: readonly StoredEntry[]): Weighed[] {
  return given.flatMap((entry): Weighed[] => {
    const { seq } = entry
    if (entry.type === 'user') {
      const files = (entry.attachments ?? []).map((file) => ({
        name: `attached: ${oneLine(file.name, 60)}`,
        chars: charsOfAttachment(file, false),
        seq,
      }))
      return [...files, { name: `message: ${oneLine(entry.text, 60)}`, chars: entry.text.length, seq }]
    }
    if (entry.type === 'assistant' && entry.madeBy !== 'client')
      return entry.content.map((item) => ({ name: nameOf[item.type], chars: charsOfContent(item), seq }))
    if (entry.type === 'reconciled') return [{ name: `later look at ${entry.toolName}`, chars: entry.text.length, seq }]
    return []
  })
}

const nameOf = { text: 'answer', thinking: 'thinking', redacted_thinking: 'thinking', tool_call: 'call' }

function resultsOf(given: readonly StoredEntry[], resultsTo: number): Weighed[] {
  const names = new Map(
    given.flatMap((entry) =>
      entry.type === 'assistant'
        ? entry.content.flatMap((item) => (item.type === 'tool_call' ? [[item.toolUseId, item.toolName] as const] : []))
        : [],
    ),
  )
  return given.flatMap((entry) =>
    (entry.type === 'tool_result' && !isSkillText(entry)) ||
    entry.type === 'blocked' ||
    entry.type === 'confirm_resolved'
      ? [{ name: names.get(entry.toolUseId) ?? 'call', chars: charsGiven(entry, resultsTo), seq: entry.seq }]
      : [],
  )
}
