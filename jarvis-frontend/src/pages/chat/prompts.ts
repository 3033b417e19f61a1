import type { Activity, ClusterState } from 'protocol'
import { isBlind } from 'protocol/facts'
import { backupsOf, type Issue, lookWords } from '../../features/cluster/health.ts'
import { plural, timeOfDay } from '../../lib/format.ts'

const day = 86_400_000

export type Prompt = { mark: 'warn' | 'bad' | 'clock' | 'cluster'; question: string; detail: string }

/** The present state, of which a new chat speaks. `state`: undefined before the first snapshot. */
type Seen = {
  state: ClusterState | undefined
  issues: readonly Issue[]
  feed: readonly Activity[]
  now: number
}

/** Since when no activity needed attention, Unix ms; undefined if there is no activity yet. */
function quietSince(feed: readonly Activity[]): number | undefined {
  return feed.findLast((activity) => activity.level !== 'info')?.at ?? feed[0]?.at
}

/** Returns the two lines at the top of a new chat. @param waiting the number of things that wait for the person */
export function headline({ state, issues, feed, now }: Seen, waiting: number): { title: string; detail: string } {
  const waits =
    waiting === 0
      ? 'Nothing waits for you.'
      : `${plural(waiting, 'thing')} ${waiting === 1 ? 'waits' : 'wait'} for you.`
  if (state === undefined) return { title: 'Reading the cluster.', detail: waits }
  const { expected, stale, unknown } = backupsOf(state.guests, now)
  const fresh = expected - stale.length - unknown
  const backups =
    expected === 0
      ? ''
      : stale.length === 0 && unknown === 0
        ? `${fresh === 1 ? 'The only guest has' : `All ${fresh} guests have`} a fresh backup. `
        : `${fresh} of ${expected} guests have a fresh backup${unknown > 0 ? `, of ${unknown} it is unknown` : ''}. `
  if (isBlind(state))
    return {
      title: 'How the cluster is, is unknown.',
      detail: `${issues[0]?.detail ?? 'It has not been read yet'}. ${waits}`,
    }
  if (issues.length > 0)
    return {
      title: `${lookWords(issues.length)}.`,
      detail: backups + waits,
    }
  const since = quietSince(feed)
  const title =
    since === undefined
      ? 'All quiet.'
      : now - since > day
        ? 'All quiet for a day.'
        : `All quiet since ${timeOfDay(since)}.`
  return { title, detail: backups + waits }
}

/** Returns up to three suggested questions from the present state of the cluster. */
export function prompts({ state, issues, feed, now }: Seen): Prompt[] {
  if (state === undefined) return []
  // Issues with a measured value of a node come first.
  const rank = ({ node, past }: Issue) => (past === undefined ? 0 : node === undefined ? 1 : 2)
  const found: Prompt[] = issues
    .toSorted((a, b) => rank(b) - rank(a))
    .slice(0, 2)
    .map((issue) => ({ mark: issue.tone, question: issue.question, detail: issue.detail }))
  const recent = feed.filter((activity) => now - activity.at < day / 2)
  const first = recent[0]
  if (first !== undefined && recent.length > 1) {
    found.push({
      mark: 'clock',
      question: 'What happened in the last 12 hours?',
      detail: `${plural(recent.length, 'event')} since ${timeOfDay(first.at)}`,
    })
  }
  const failed = state.tasks.find((task) => task.status === 'failed' && now - task.startedAt < day)
  if (failed !== undefined) {
    found.push({
      mark: 'bad',
      question: `Why did ${failed.type} fail on ${failed.node}?`,
      detail: timeOfDay(failed.startedAt),
    })
  }
  found.push({
    mark: 'cluster',
    question: 'How is the cluster?',
    detail: isBlind(state)
      ? 'its nodes and guests are unknown'
      : `${plural(state.nodes.length, 'node')}, ${plural(state.guests.length, 'guest')}`,
  })
  return found.slice(0, 3)
}
