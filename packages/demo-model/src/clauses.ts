import { actIn, type Spoken } from './acts.ts'
import { isDeclined } from './consent.ts'

export type Verb = 'start' | 'stop' | 'restart' | 'wake'
/** `items`: the sentence's objects, one for each part of a list. */
export type Clause =
  | { type: 'order'; verb: Verb; isForced: boolean; items: string[] }
  | ({ type: 'act'; text: string; items: string[] } & Spoken)
  | { type: 'refrain' }
  | { type: 'other'; text: string }

const polite =
  /^(?:(?:please|pls|kindly|jarvis|hey|ok|okay|so|now|and|then|also|just|sir|quickly|go ahead and|let us|let's|(?:can|could|would|will) you|(?:can|could) we|(?:i|we) (?:want|need|have) (?:you )?to|(?:i would|i'd) like (?:you )?to)(?![\w'-])[\s,:]*)+/i
const force = /^(?:force|forcibly|forcefully|hard)[-\s]+/i
const verbs: [Verb, RegExp][] = [
  ['stop', /^(?:stop|shut ?down|turn off|switch off|power ?off|power down|halt|kill|pull the plug on)(?![\w-])/i],
  ['restart', /^(?:restart|reboot|bounce|power[- ]?cycle|reset)(?![\w-])/i],
  [
    'start',
    /^(?:start(?: up)?|boot(?: up)?|turn on|switch on|power on|power up|spin up|fire up|bring up|launch)(?![\w-])/i,
  ],
  ['wake', /^(?:wake(?: up)?|wol|send (?:an? )?(?:magic packet|wol)(?: packet)? to)(?![\w-])/i],
]

/** Rewrites `would you mind restarting` as `restart`. */
const gerunds =
  /^(?:(?:would|do) you )?mind (restart|reboot|start|boot|shut|stop|turn|switch|power)(?:p|t)?ing(?![\w-])/i

export const withoutPoliteness = (text: string): string => text.trim().replace(polite, '').replace(gerunds, '$1')

/**
 * Splits a message into orders and other clauses. Only a clause that begins with a verb is an order: `should I stop 101?` is not an order.
 * @param isQuestion returns true if a part of a list is a question by itself
 */
export function clauses(message: string, isQuestion: (text: string) => boolean): Clause[] {
  const result: Clause[] = []
  for (const part of parts(gathered(message))) {
    const last = result.at(-1)
    const text = withoutPoliteness(part)
    const clause = act(text) ?? order(text)
    if (clause !== undefined) result.push(isRefused(clause, text) ? { type: 'refrain' } : clause)
    // `destroy 101? no` takes the order back.
    else if (last !== undefined && 'items' in last && isDeclined(text)) result.splice(-1, 1, { type: 'refrain' })
    else if (
      /^(?:(?:please )?(?:do not|don['’]?t|never|not|except)|(?:you )?(?:must|should|shall) not|(?:you )?(?:mustn|shouldn)['’]t|rather not|better not)(?![\w'-])/i.test(
        text,
      )
    )
      result.push({ type: 'refrain' })
    // The second clause of `restart 101, it hangs` is ignored.
    else if (last !== undefined && 'items' in last && /^(?:it|they|that|which)(?:'s|\s+\S)/i.test(text)) continue
    // A word that was removed as a polite phrase can be a name within a list.
    else if (last !== undefined && 'items' in last && !isQuestion(text)) last.items.push(text === '' ? part : text)
    // Further items in a list of things not to do are ignored.
    else if (last?.type !== 'refrain' || isQuestion(text)) result.push({ type: 'other', text })
  }
  return result
}

/** Returns true for an order that says `not`, also after its verb: `move 104 not to pve`. */
function isRefused(clause: Clause, text: string): boolean {
  const isQuestion = clause.type === 'act' && (clause.words.who === undefined || clause.words.who === text)
  const [main = ''] = text.split(/\s(?:because|since|so that|as it|before|after|until|when|if|that|which|it)\b/i)
  return !isQuestion && /\s(?:not|never)\s/i.test(main)
}

function act(text: string): Clause | undefined {
  const spoken = actIn(text)
  return spoken && { type: 'act', text, items: [spoken.words.who ?? ''], ...spoken }
}

function order(text: string): Clause | undefined {
  const bare = text.replace(force, '')
  for (const [verb, pattern] of verbs) {
    const [said] = pattern.exec(bare) ?? []
    if (said === undefined) continue
    const rest = bare
      .slice(said.length)
      .replace(/\s(?:because|since|so that|as it|before|after|until|when|if)\b.*/i, '')
    const isForced =
      bare !== text || /^(?:kill|pull)/i.test(said) || /\b(?:by force|forcefully|forcibly|hard)\b|--force/i.test(rest)
    return { type: 'order', verb, isForced, items: [rest] }
  }
  return undefined
}

/** Rewrites `turn 101 off` as `turn off 101`, `off and on again` as `restart`, and `4 cores and 8 GB` as one part. */
const gathered = (message: string) =>
  message
    .replace(/(?<!\s)(?:\s+(?:and|plus)|\s*[,&+])\s*(?=\d+\s*(?:v?cpus?|cores?|[gm](?:i?b)?)\b)/gi, ' with ')
    .replace(
      /\b(?:turn|switch|power)\s{1,9}([^,;]{1,80}?)\s{1,9}off and (?:then )?(?:back )?on(?: again)?\b/gi,
      'restart $1',
    )
    .replace(
      /\b(turn|switch|power|shut|boot|spin|fire|bring|wake)\s{1,9}((?!(?:on|off|down|up)\b)[^,;]{1,80}?)\s{1,9}(on|off|down|up)\b(?=\s*(?:$|[,.;!?]|(?:and|then|again|please|now|too)\b))/gi,
      '$1 $3 $2',
    )

const parts = (message: string) =>
  message
    .split(
      /(?<![.;!?])[.;!?]+(?:\s+|$)|,\s*|(?<!\s)\s+(?:and|then|(?<!\b(?:all|everything|anything|nothing)\s+)but|plus|as well as)\s+|(?<!\s)\s*[&+\n]\s*/i,
    )
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
