import type { Grant } from 'protocol'
import { callLine, type FactMaker } from './fact-maker.ts'

/**
 * Makes facts about the grants that a conversation may still use when a fold is made. Grants of jobs and clients do not apply to conversations, and
 * a grant of another person does not apply to this one.
 * @param personOf returns the person of a session; undefined: the first owner
 */
export const grantFacts = (
  grants: { list(): Grant[] },
  now: () => number,
  personOf: (sessionId: string) => string | undefined,
): FactMaker => ({
  kinds: ['grant'],
  make: (_before, _entries, sessionId) =>
    grants
      .list()
      .filter(
        ({ requestedBy: { kind, person }, expiresAt, usesLeft }) =>
          kind === 'chat' && person === personOf(sessionId) && expiresAt > now() && usesLeft > 0,
      )
      .map(({ id, toolName, toolInput, scope, by, expiresAt, usesLeft, createdAt }) => ({
        kind: 'grant',
        id,
        of: scope?.words ?? callLine(toolName, toolInput),
        text: `may run without a card ${usesLeft === 1 ? 'once' : `${usesLeft} times`} until ${new Date(expiresAt).toISOString()}, by ${by}`,
        at: createdAt,
      })),
})
