import type { ClusterState, Guest } from 'protocol'
import type { Act } from './acts.ts'
import type { Clause } from './clauses.ts'
import { type Mentions, mentions } from './mentions.ts'
import { didYouMean } from './nearest.ts'
import { beyond, guestsMeant, manners, nodeNames, noSentence, type Outcome, whatExists } from './orders.ts'
import type { Focus } from './questions.ts'
import { strangeVerb } from './strange.ts'

type Spoken = Pick<Extract<Clause, { type: 'act' }>, 'act' | 'words' | 'text' | 'items'>
/** The data from which a tool's input is made, besides the words of the sentence. */
type Scene = { cluster: ClusterState; focus: Focus; ownCalls: readonly string[] }

/** Turns a sentence of the table into calls, one for each target. */
export function carryOutAct(spoken: Spoken, scene: Scene): Required<Outcome> {
  const outcome: Required<Outcome> = { calls: [], notes: [], guests: [], inquiries: [] }
  const { act, words } = spoken
  const said = { words, ...scene }
  const take = (input: Record<string, unknown> | string) => {
    if (typeof input === 'string') outcome.notes.push(input)
    else outcome.calls.push({ toolName: act.tool, toolInput: input })
  }
  for (const item of spoken.items) {
    const found = mentions(item, scene.cluster)
    if (act.on === 'nothing') {
      if ('inquiry' in act) outcome.inquiries.push(act.inquiry(said))
      else take(act.input(said))
      continue
    }
    const { guests } =
      act.on === 'guest' || act.on === 'any' ? guestsMeant(found, scene, outcome.notes) : { guests: [] }
    const other = act.on === 'guest' && guests.length > 0 ? otherObject(item, spoken, scene.cluster) : undefined
    if (other !== undefined) {
      outcome.notes.push(noSentence(other))
      continue
    }
    outcome.guests.push(...guests)
    if (act.on === 'guest') {
      if (guests.length === 0 && outcome.notes.length === 0)
        outcome.notes.push(unnamed({ found, item }, spoken, scene.cluster))
      for (const guest of guests) {
        if ('inquiry' in act) outcome.inquiries.push(act.inquiry({ ...said, guest }))
        else take(act.input({ ...said, guest }))
      }
    } else if (outcome.notes.length === 0) placed(act, { found, guests }, scene).forEach(take)
  }
  return outcome
}

/**
 * Returns a word that names something else than a guest, next to a guest: `alerts` in `delete the alerts of jellyfin`. Undefined: there is none, or
 * the sentence is a question.
 */
function otherObject(item: string, { text }: Spoken, cluster: ClusterState): string | undefined {
  if (item === text) return undefined
  const object = item.replace(/\s(?:because|since|so that|as it|before|after|until|when|if|called|named)\b.*/is, '')
  return mentions(object, cluster).rest.find((word) => !manners.has(word))
}

/** Returns the inputs for a tool that takes nodes, or any target. */
function placed(
  act: Extract<Act, { on: 'node' | 'any' }>,
  { found, guests }: { found: Mentions; guests: readonly Guest[] },
  { cluster, focus }: Scene,
): (Record<string, unknown> | string)[] {
  const [only] = cluster.nodes
  const usual = act.on === 'node' && cluster.nodes.length === 1 && only ? [only.name] : []
  const named = found.nodes.length > 0 ? found.nodes.map(({ name }) => name) : found.pronoun ? focus.nodes : usual
  if (act.on === 'node')
    return named.length > 0 ? named.map((node) => ({ node })) : [`On which node, sir? ${nodeNames(cluster)}.`]
  const { takes, input = {} } = act
  if (guests.length > 0 && takes.includes('vmid')) return guests.map(({ vmid }) => ({ vmid, ...input }))
  if (!takes.includes('node')) return [input]
  const nodes = named.length > 0 ? named : [...new Set(guests.map(({ node }) => node))]
  return nodes.length > 0 ? nodes.map((node) => ({ node, ...input })) : [input]
}

/** Asks which guest is meant. Names the most similar guest if a word may have a typing error. */
function unnamed(
  { found: { rest }, item }: { found: Mentions; item: string },
  { text, words }: Spoken,
  cluster: ClusterState,
): string {
  const verb = strangeVerb(text)
  if (verb !== undefined && item === words.who && rest.some((word) => beyond.test(word))) return noSentence(verb)
  const sentence = item === words.who ? text : text.replace(words.who ?? '', () => item)
  for (const word of rest) {
    const meant = word.length < 4 ? undefined : didYouMean(word, sentence, cluster)
    if (meant !== undefined) return `I know of nothing called “${word}”. ${meant}`
  }
  const isName = item === words.who && item !== text && rest.length > 0
  return isName
    ? `I know of nothing called “${rest.join(' ')}”. ${whatExists(cluster)}`
    : 'Which one, sir? Name a guest or its number.'
}
