import { tiers, type Verdict } from 'protocol'
import { both, type Sources } from '../gate/index.ts'
import type { Leads } from '../tools/tool.ts'
import type { AskedBy, Judge, Judgement, Led } from './judgement.ts'

/** The rule named in a verdict if a call asks a person because one of the calls that it leads to asks. */
export const ledRule = 'plan'

/**
 * Judges the calls that another call leads to. Each is judged twice: once as if the asker made it alone, with all texts that the asker had read, and
 * once with the texts from which the calls were made. The stricter verdict counts. The first call that would not run decides the result.
 */
export function judgeLed(
  judge: Judge,
  { calls, read, said, facts }: Leads,
  by: AskedBy,
):
  | { kind: 'ready'; calls: Led[] }
  | { kind: 'blocked'; verdict: Verdict; reason: string }
  | { kind: 'invalid'; message: string } {
  const found: Led[] = []
  // With `said`, a person wrote the text that contains the calls, and may have named in it, or in the inputs that a person typed, the things that
  // a read then shows. Otherwise the asker composed the calls, and the plan's reads count as if the asker had read them one by one.
  const own = (): Sources => {
    const { results = [], operatorTexts = [], ...rest } = by.sources?.() ?? {}
    // A person who typed the call gave its inputs too.
    const given = by.asker?.kind === 'command' ? [JSON.stringify(facts.inputs)] : []
    if (said !== undefined) return { results: read, operatorTexts: [said, ...given] }
    return { results: [...results, ...read], operatorTexts, ...rest }
  }
  for (const { number, toolName, toolInput, at, isLater } of calls) {
    const alone = judge(toolName, toolInput, by)
    // The call depends on an earlier step. It is judged when its turn comes.
    if (isLater === true && alone.kind === 'invalid') continue
    const judged =
      alone.kind === 'ready' && read.length > 0
        ? stricter(alone, judge(toolName, toolInput, { ...by, sources: own }))
        : alone
    if (judged.kind === 'blocked')
      return { kind: 'blocked', verdict: judged.verdict, reason: `Refused: ${at}. ${judged.verdict.reason}` }
    if (judged.kind === 'invalid') return { kind: 'invalid', message: `${at}: ${judged.message}` }
    found.push({ ...judged, hash: judged.hash, number })
  }
  return { kind: 'ready', calls: found }
}

function stricter(one: Judgement, other: Judgement): Judgement {
  if (other.kind !== 'ready') return other
  return tiers.indexOf(other.verdict.tier) > tiers.indexOf(one.verdict.tier) ? other : one
}

/**
 * Returns the verdict on a call that leads to others: the strictest of its own verdict and theirs. A call whose step waits for an earlier step asks
 * a person. If several of the calls need approvals of certain people, all these requirements apply together.
 */
export function strictestOf(own: Verdict, calls: readonly Led[], { calls: all }: Pick<Leads, 'calls'>): Verdict {
  const asking = calls.filter(({ verdict }) => verdict.tier === 'red')
  const later = all.filter(({ number, isLater }) => isLater === true && !calls.some((led) => led.number === number))
  const quorums = [own, ...asking.map(({ verdict }) => verdict)].flatMap(({ approve }) => approve ?? [])
  const approve = quorums.length === 0 ? {} : { approve: quorums.reduce(both) }
  if (asking.length + later.length === 0) return own
  if (tiers.indexOf(own.tier) >= tiers.indexOf('red')) return { ...own, ...(own.tier === 'red' && approve) }
  const reasons = [
    ...asking.map(({ number, verdict }) => `Step ${number}: ${verdict.reason}`),
    ...later.map(({ number }) => `Step ${number}: It waits for an earlier step, and asks by itself in its turn.`),
  ]
  const [reason = ''] = reasons
  return { tier: 'red', rule: ledRule, reason, ...(reasons.length > 1 && { reasons }), ...approve }
}
