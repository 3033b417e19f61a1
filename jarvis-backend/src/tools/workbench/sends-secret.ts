import { createRedactor } from 'redaction/redact'
import type { Effect } from '../../gate/effect.ts'

const shapes = createRedactor([])

/** Refuses a call that would send a secret to a stranger. @param what the part of the call that leaves this network: `The address` */
export const refusesSecret = (what: string, text: string): Pick<Effect, 'atLeast'> =>
  shapes.text(text) === text
    ? {}
    : { atLeast: { tier: 'black', because: `${what} holds a secret, which would leave this network.`, isAlways: true } }

export const secretRaises = [{ tier: 'black', words: 'a secret' }] as const
