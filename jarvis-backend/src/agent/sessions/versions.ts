import type { Versions } from 'protocol'

/** A session of a family. `of`, `at`: it continues the session `of` with another version of the message at `at`; absent in the first session. */
export type Member = { id: string; createdAt: number; updatedAt: number; of?: string; at?: number }

/**
 * The session that first had a message at `at`: a new version is a version of that message. Below `at`, a version has the same entries as its origin,
 * so all versions of one message have one origin.
 */
export function originAt(sessionId: string, at: number, family: readonly Member[]): string {
  const member = family.find(({ id }) => id === sessionId)
  return member?.of === undefined || (member.at ?? 0) < at ? sessionId : originAt(member.of, at, family)
}

/** Every message of a session that has other versions, in order, with the newest session behind each of them. */
export function versionsIn(sessionId: string, family: readonly Member[]): Versions[] {
  const found: Versions[] = []
  const madeOf = (id: string) => family.filter(({ of }) => of === id)
  /** A member, and all that go on from it after a message. */
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
