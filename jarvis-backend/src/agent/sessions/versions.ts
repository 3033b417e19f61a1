import type { Versions } from 'protocol'

/**
 * A session of a family. It continues the session `of`, with another version of the message at `at`. Both are undefined in the first session of the
 * family.
 */
export type Member = { id: string; createdAt: number; updatedAt: number; of?: string; at?: number }

/**
 * Returns the session that first had a message at `at`. All versions of one message have the same such session, because below `at` a version has the
 * same entries as the session from which it was made.
 */
export function originAt(sessionId: string, at: number, family: readonly Member[]): string {
  const member = family.find(({ id }) => id === sessionId)
  return member?.of === undefined || (member.at ?? 0) < at ? sessionId : originAt(member.of, at, family)
}

/**
 * Returns the messages of a session that have other versions, in order. If several sessions continue one version, the session that changed last
 * stands for it.
 */
export function versionsIn(sessionId: string, family: readonly Member[]): Versions[] {
  const found: Versions[] = []
  const madeOf = (id: string) => family.filter(({ of }) => of === id)
  /** Returns a session and all sessions that branch from it after the message at `at`. */
  const after = (member: Member, at: number): Member[] => [
    member,
    ...madeOf(member.id)
      .filter((later) => (later.at ?? 0) > at)
      .flatMap((later) => after(later, later.at ?? 0)),
  ]
  let shown = family.find(({ id }) => id === sessionId)
  let below = Number.POSITIVE_INFINITY
  const add = (origin: Member, at: number, chosen: Member) => {
    const versions = [
      origin,
      ...madeOf(origin.id)
        .filter((member) => member.at === at)
        .sort(byCreation),
    ]
    const sessionIds = versions.map((version) =>
      version === chosen ? sessionId : (after(version, at).sort(byChange).at(-1) ?? version).id,
    )
    found.push({ entry: at, sessionIds, shown: versions.indexOf(chosen) })
  }
  while (shown !== undefined) {
    for (const at of new Set(madeOf(shown.id).map((member) => member.at ?? 0))) if (at < below) add(shown, at, shown)
    const { of, at = 0 } = shown
    const origin = family.find(({ id }) => id === of)
    if (origin !== undefined) add(origin, at, shown)
    below = at
    shown = origin
  }
  return found.sort((a, b) => a.entry - b.entry)
}

const byCreation = (a: Member, b: Member) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
const byChange = (a: Member, b: Member) => a.updatedAt - b.updatedAt || (a.id < b.id ? -1 : 1)
