import type { Fact } from 'protocol'
import type { Fold } from './folds.ts'

/** Maximum characters of a fold’s facts in each request. The oldest facts of a kind are left out first. */
const mostChars = 12_000

/**
 * The kinds of facts in the order in which the model gets them, each with its heading. A kind that is not listed comes last, with its name as
 * heading.
 */
const headings: readonly (readonly [kind: string, heading: string])[] = [
  ['order', 'Standing orders of the operator, word for word'],
  ['unknown', 'Calls whose outcome is NOT known: look at the cluster, do not simply repeat them'],
  ['denied', 'Denied by the operator, and still denied'],
  ['plan', 'Plans'],
  ['grant', 'Grants'],
  ['skill', 'Skills that were loaded'],
  ['change', 'Changes that were made or failed'],
  ['decision', 'What the operator noted with a decision'],
  ['said', 'What else the operator said, word for word'],
]

/** The text that a model is given in place of folded entries. */
export function asFolded({ facts, text, count, at }: Fold): string {
  const lines = factLines(facts)
  return [
    `[JARVIS folded ${count} earlier entries of this conversation at ${new Date(at).toISOString()}. It made these facts from the entries; an id in brackets is read again with read_result.]`,
    ...(lines.length === 0 ? ['No changes, denials, open plans or unknown outcomes.'] : lines),
    ...(text === '' ? [] : [`A model's summary of the rest, which nobody checked:\n${text}`]),
  ].join('\n')
}

/** Returns the facts as lines, grouped by kind, oldest first, up to the maximum length. */
export function factLines(facts: readonly Fact[]): string[] {
  const kinds = [...new Set([...headings.map(([kind]) => kind), ...facts.map(({ kind }) => kind)])]
  let room = mostChars
  return kinds.flatMap((kind) => {
    const all = facts.filter((fact) => fact.kind === kind)
    const kept: string[] = []
    for (const fact of all.toReversed()) {
      const line = factLine(fact)
      room -= line.length
      if (room < 0) break
      kept.unshift(line)
    }
    if (all.length === 0) return []
    const left = all.length - kept.length
    const heading = headings.find(([known]) => known === kind)?.[1] ?? kind
    return [`${heading}${left === 0 ? '' : ` (${left} earlier ones are left out; the journal has them)`}:`, ...kept]
  })
}

const factLine = ({ of, text, id }: Fact) =>
  `- ${of}${text === '' ? '' : `: ${text}`}${id === undefined ? '' : ` [${id}]`}`
