import { readFileSync, statSync } from 'node:fs'
import { Severity, type ToolInput } from 'protocol'
import { z } from 'zod'
import { parseYaml, type YamlProblem } from '../lib/strict-yaml.ts'
import { ExpressionFault, readCondition } from '../runbooks/expressions.ts'
import type { Check } from './check.ts'
import { lookAtSample, sampleProblem } from './own-sample.ts'
import { lookAtTool } from './own-tool.ts'

/** A time span: `10 min`, `2 h`, `3 d` */
const Span = z
  .string()
  .regex(/^\d{1,4} ?(min|h|d)$/, 'must be a time span, as in 10 min, 2 h or 3 d')
  .transform((text) => {
    const [, count = '0', unit = 'min'] = /^(\d+) ?(min|h|d)$/.exec(text) ?? []
    return Number(count) * { min: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'min' | 'h' | 'd']
  })

const Own = z.strictObject({
  id: z
    .string('must be a name of its own, as in nas-busy')
    .regex(/^[a-z][a-z0-9-]{0,49}$/, 'must be in small letters, as in nas-busy'),
  title: z.string('must be a few words').trim().min(1).max(100),
  sample: z
    .string()
    .regex(/^\S+ \w+$/, 'must name a series and a field, as in node/pve temperatureC or guest/* cpuRatio')
    .optional(),
  above: z.number().optional(),
  below: z.number().optional(),
  clears: z.number().optional(),
  tool: z.string().max(100).optional(),
  args: z.record(z.string(), z.unknown()).optional(),
  when: z.string().max(500).optional(),
  for: Span.default(0),
  severity: Severity.default('look'),
  runbooks: z.array(z.string().max(100)).max(10).default([]),
})
type Own = z.output<typeof Own>
const ChecksFile = z.strictObject({ checks: z.array(Own).max(200).default([]) })

export type OwnChecks = { ok: true; checks: Check[] } | { ok: false; problems: YamlProblem[] }

/** The names that a file may use. `toolProblem`: the reason why a tool cannot be called with these arguments; undefined if it can. */
export type Known = {
  /** Ids of the shipped checks. */
  taken: ReadonlySet<string>
  toolProblem(toolName: string, args: ToolInput): string | undefined
}

/** Parses `checks.yaml`. Lists every problem in the order of the lines. Never throws. */
export function parseChecks(text: string, { taken, toolProblem }: Known): OwnChecks {
  const read = parseYaml(text, ChecksFile, (given) => {
    const { checks } = (given ?? {}) as { checks?: unknown }
    const known = new Set(taken)
    return (Array.isArray(checks) ? checks : []).flatMap((own: Record<string, unknown> | null, index) => {
      const { id, sample, tool } = own ?? {}
      const isTaken = typeof id === 'string' && known.has(id)
      known.add(String(id))
      const problems: [key: string | undefined, message: string][] = [
        ...(isTaken ? [['id', 'is taken; choose another'] as [string, string]] : []),
        ...((sample === undefined) === (tool === undefined)
          ? [[undefined, 'needs either sample or tool'] as [undefined, string]]
          : sample === undefined
            ? toolProblems(own ?? {}, toolProblem)
            : sampleProblems(own ?? {})),
      ]
      return problems.map(([key, message]) => ({
        path: ['checks', index, ...(key === undefined ? [] : [key])],
        message,
      }))
    })
  })
  return read.ok ? { ok: true, checks: read.value.checks.map(checkOf) } : read
}

type Problem = [key: string | undefined, message: string]

function sampleProblems({ sample, above, below, clears, tool, args, when }: Record<string, unknown>): Problem[] {
  const limit = (above ?? below) as number
  const isWrongSide = typeof clears === 'number' && (above === undefined ? clears < limit : clears > limit)
  const why = typeof sample === 'string' ? sampleProblem(sample) : undefined
  return [
    ...((above === undefined) === (below === undefined) ? [[undefined, 'needs either above or below'] as Problem] : []),
    ...(isWrongSide ? [['clears', `must be on the good side of ${limit}`] as Problem] : []),
    ...(why === undefined ? [] : [['sample', why] as Problem]),
    ...strangers({ tool, args, when }, 'sample'),
  ]
}

function toolProblems(own: Record<string, unknown>, toolProblem: Known['toolProblem']): Problem[] {
  const { tool, args = {}, when, above, below, clears } = own
  const why = typeof tool === 'string' ? toolProblem(tool, args as ToolInput) : undefined
  return [
    ...(why === undefined ? [] : [['tool', why] as Problem]),
    ...(typeof when === 'string'
      ? conditionProblem(when)
      : [['when', 'is missing; it must be a condition, as in $result.storages(name=tank).usedRatio > 0.8'] as Problem]),
    ...strangers({ above, below, clears }, 'tool'),
  ]
}

function conditionProblem(when: string): Problem[] {
  try {
    const other = readCondition(when).find(({ left }) => left.name !== 'result')
    return other === undefined ? [] : [['when', `must speak of $result, and there is no $${other.left.name}`]]
  } catch (error) {
    if (error instanceof ExpressionFault) return [['when', `cannot be read: ${error.message.replace(/\.$/, '')}`]]
    throw error
  }
}

/** Problems for keys that have no meaning together with `sample` or `tool`. */
const strangers = (keys: Record<string, unknown>, beside: string): Problem[] =>
  Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [[key, `means nothing beside ${beside}`]]))

function checkOf({
  id,
  title,
  severity,
  runbooks,
  for: forMs,
  sample,
  tool,
  args = {},
  when = '',
  ...limits
}: Own): Check {
  const looking =
    tool === undefined
      ? lookAtSample(title, severity, { sample: sample ?? '', ...limits })
      : lookAtTool(title, severity, { tool, args, when })
  return { id, title, forMs, runbooks, isOwn: true, ...looking }
}

/** The checks of `checks.yaml` that are in force: none before the first `reload`. A broken file leaves the earlier checks in force. */
export class OwnChecksFile {
  readonly #path: string
  readonly #known: () => Known
  #text: string | undefined
  #checks: readonly Check[] = []
  #problems: string[] = []

  /** @param path of `checks.yaml` */
  constructor(path: string, known: () => Known) {
    this.#path = path
    this.#known = known
  }

  checks(): readonly Check[] {
    return this.#checks
  }

  /** The reasons why the present file is not in force, one line each. */
  problems(): string[] {
    return this.#problems
  }

  /** @returns true if the file differs from the last reading */
  reload(): boolean {
    const next = this.#read()
    if (next === this.#text) return false
    this.#text = next
    const read = parseChecks(next, this.#known())
    if (read.ok) this.#checks = read.checks
    this.#problems = read.ok
      ? []
      : read.problems.map(({ line, column, message }) => `checks.yaml:${line}:${column}  ${message}`)
    return true
  }

  #read(): string {
    try {
      // Only a regular file is read, because reading a pipe would block.
      if (statSync(this.#path).isFile()) return readFileSync(this.#path, 'utf8')
      this.#problems = ['checks.yaml is not a file.']
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') this.#problems = [`checks.yaml cannot be read: ${message}`]
    }
    return ''
  }
}
