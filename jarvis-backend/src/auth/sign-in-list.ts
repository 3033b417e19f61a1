import type { SignInInfo } from 'protocol'
import { idleEndOf, type SignInRow, type SignInStore } from './sign-ins.ts'

/** The places where people are signed in. */
export interface SignInList {
  /** A person's sign-ins, newest use first. @param asking the sign-in that the request came with */
  of(person: string, asking?: string): SignInInfo[]
  /** The sign-in with which a request came. */
  asking(id: string): SignInInfo | undefined
}

/** @param parts.idleMs time without use after which a sign-in ends */
export function createSignInList(parts: {
  signIns: Pick<SignInStore, 'get' | 'list'>
  idleMs: number
  now(): number
}): SignInList {
  const { signIns, idleMs, now } = parts
  const shown = ({ person: _, hash: __, ...facts }: SignInRow): SignInInfo => ({
    ...facts,
    idleEndsAt: idleEndOf(facts, idleMs),
  })
  return {
    of: (person, asking) =>
      signIns
        .list(person)
        .map(shown)
        .filter(({ idleEndsAt }) => idleEndsAt > now())
        .map((info) => (info.id === asking ? { ...info, isThis: true } : info)),
    asking(id) {
      const row = signIns.get(id)
      return row && { ...shown(row), isThis: true }
    },
  }
}
