import { type ChannelRecipientBody, JarvisError } from 'protocol'
import { type ChannelKind, type Decides, decides } from './channel.ts'
import type { Recipient } from './ports.ts'

/** The rights of a recipient after a change. `agent`: absent if it stays, null if the bindings choose. */
export type RecipientRights = Pick<Recipient, 'decides' | 'hidesNames' | 'talks'> & { agent?: string | null }

const rank = (one: Decides) => decides.indexOf(one)

/**
 * Calculates a change of a recipient's rights. A recipient may keep its present right to decide, even if the channel would not grant that right now.
 * @param kind `atMost`: the greatest right that a tap on the channel has now
 * @returns `isMore`: the change allows more than before, or names another agent, so the person must confirm it
 * @throws JarvisError `invalid_request`: the channel cannot do that
 */
export function recipientChange(
  before: Pick<Recipient, 'decides' | 'hidesNames' | 'talks' | 'agent' | 'isGroup'>,
  { decides: next = before.decides, hidesNames = before.hidesNames, talks = before.talks, agent }: ChannelRecipientBody,
  { name, capabilities, atMost }: Pick<ChannelKind, 'name' | 'capabilities'> & { atMost: Decides },
): { rights: RecipientRights; isMore: boolean } {
  const refuse = (why: string) => new JarvisError('invalid_request', why)
  if (before.isGroup) throw refuse('A group is told without names and decides nothing. It can only be ended.')
  if (talks && capabilities.talks === undefined) throw refuse(`talks: ${name} only tells.`)
  const decidesMore = rank(next) > rank(before.decides)
  if (capabilities.subscribes === true && decidesMore)
    throw refuse('decides: a browser signs with a key that it makes. Turn it on there.')
  if (decidesMore && rank(next) > rank(atMost)) {
    const why = atMost === capabilities.decidesAtMost ? '' : ' Set JARVIS_PUBLIC_URL: phones send a denial there.'
    throw refuse(`decides: ${name} may do ${atMost} at most.${why}`)
  }
  const isAgentNew = agent !== undefined && (agent ?? undefined) !== before.agent
  return {
    rights: { decides: next, hidesNames, talks, agent },
    isMore: decidesMore || (talks && !before.talks) || isAgentNew,
  }
}
