import type { Grant } from '../../../protocol/index.ts'
import { callLine, type FactMaker } from './fact-maker.ts'

/** The grants that a conversation may still use, as they are when a fold is made. A job's and a client's serve no conversation. */
export const grantFacts = (grants: { list(): Grant[] }, now: () => number): FactMaker => ({
  kinds: ['grant'],
  make: () =>
    grants
      .list()
      .filter(({ requestedBy: { kind }, expiresAt, usesLeft }) => kind === 'chat' && expiresAt > now() && usesLeft > 0)
      .map(({ id, toolName, toolInput, scope, by, expiresAt, usesLeft, createdAt }) => ({
        kind: 'grant',
        id,
        of: scope?.words ?? callLine(toolName, toolInput),
        text: `may run without a card ${usesLeft === 1 ? 'once' : `${usesLeft} times`} until ${new Date(expiresAt).toISOString()}, by ${by}`,
        at: createdAt,
      })),
})
